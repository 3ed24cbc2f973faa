import type { Size } from '../size.ts';
import type { SenderSettings } from '../subjects/subject.ts';

export interface BurstSettings extends SenderSettings, Size {
  /** Name of the subject. */
  readonly subject: string;
}

export type BurstTold = { readonly type: 'measured' } & BurstFigures;

export interface BurstFigures {
  /** From the first track() to the last answer. */
  readonly elapsedMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  /** Peak memory above the memory before the sender was made. */
  readonly peakBytes: number;
  /** The longest delay of a timer of 1 ms. */
  readonly longestDelayMs: number;
}
