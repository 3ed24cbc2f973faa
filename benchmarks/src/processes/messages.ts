import type { Answer } from './answer.ts';
import type { Audit } from './audit.ts';
import type { WireFormat } from './wire-format.ts';

export interface ReceiverSettings {
  readonly answers: readonly Answer[];
  readonly format: WireFormat;
}

/** What the receiver tells. */
export type ReceiverTold =
  | { readonly type: 'ready'; readonly baseUrl: string }
  /** What came since it was asked last. */
  | {
      readonly type: 'counted';
      readonly received: number;
      readonly unique: number;
      readonly firstRequestAt: number | undefined;
    }
  | ({
      readonly type: 'audited';
      /** Of the duplicates: events of the lives that were asked for. */
      readonly repeated: number;
      /** The most events that came again after one sender had sent them, of those that have a name. */
      readonly mostRepeatsAfterOne: number;
      readonly ambiguous: number;
      readonly answersGiven: number;
    } & Audit);
