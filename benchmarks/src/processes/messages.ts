import type { Answer } from './answer.ts';
import type { Audit } from './audit.ts';
import type { WireFormat } from './wire-format.ts';

export interface ReceiverSettings {
  readonly answers: readonly Answer[];
  readonly format: WireFormat;
}

/** The messages of the receiver. */
export type ReceiverTold =
  | { readonly type: 'ready'; readonly baseUrl: string }
  /** What has arrived since the last count. */
  | {
      readonly type: 'counted';
      readonly received: number;
      readonly unique: number;
      readonly firstRequestAt: number | undefined;
    }
  | ({
      readonly type: 'audited';
      /** Those of the duplicates that belong to the requested lives. */
      readonly repeated: number;
      /** The most repeats of events that one named sender had sent before. */
      readonly mostRepeatsAfterOne: number;
      readonly ambiguous: number;
      readonly answersGiven: number;
    } & Audit);
