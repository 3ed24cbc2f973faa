import type { Size } from '../size.ts';
import type { SenderSettings } from '../subjects/subject.ts';

export interface BurstSettings extends SenderSettings, Size {
  /** The name of the subject. */
  readonly subject: string;
}

export type BurstTold = { readonly type: 'measured' } & BurstFigures;

export interface BurstFigures {
  /** From the first track() to the last answer. */
  readonly elapsedMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  /** The most memory since before the sender was made, over what there was then. */
  readonly peakBytes: number;
  /** The longest that a timer of 1 ms waited for its turn. */
  readonly longestDelayMs: number;
}
