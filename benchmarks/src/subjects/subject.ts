import type { WireFormat } from '../processes/wire-format.ts';
import type { SampleEvent } from '../workload/sample-event.ts';

/** Where a sender sends to, and where it may keep files. */
export interface SenderSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
}

/** What takes events and delivers them. */
export interface Sender {
  track(event: SampleEvent): void;
  /** Resolves once all that was tracked is answered. */
  flush(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Something that is measured as a way to deliver events. */
export interface Subject {
  readonly name: string;
  /** The package that it is, whose version belongs to the results. */
  readonly package?: string;
  /** Its options and what else is done for it, for the results. */
  readonly configuration: string;
  /** How it and the service speak, where that is not Sluice's way. */
  readonly format?: WireFormat;
  /** Loads its code, so that this is neither its time nor its memory. */
  load(): Promise<(settings: SenderSettings) => Sender>;
}
