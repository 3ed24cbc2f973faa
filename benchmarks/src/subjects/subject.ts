import type { WireFormat } from '../processes/wire-format.ts';
import type { SampleEvent } from '../workload/sample-event.ts';

/** The address of the service, and a directory for the sender's files. */
export interface SenderSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
}

/** Takes events and delivers them. */
export interface Sender {
  track(event: SampleEvent): void;
  /** Resolves once all tracked events are answered. */
  flush(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** A way to deliver events that is measured. */
export interface Subject {
  readonly name: string;
  /** Its npm package. The results show its version. */
  readonly package?: string;
  /** Its options and other set-up, as text for the results. */
  readonly configuration: string;
  /** Its wire format, if that is not Sluice's. */
  readonly format?: WireFormat;
  /** Loads its code, so that loading costs no measured time or memory. */
  load(): Promise<(settings: SenderSettings) => Sender>;
}
