import type { RefusalWord } from './exchange.ts';
import type { WindowStats } from './keep/keeper.ts';

/** What a relay has done, and how much it knows. */
export interface RelayStats {
  /** Tickets that were issued. */
  readonly tickets: number;
  /** Events that were answered as taken, with those that came again. */
  readonly taken: number;
  /** Of these, events that came again, and were not taken again. */
  readonly repeated: number;
  /** Events that can never be taken. */
  readonly invalid: number;
  /** With `observe`: events that were taken without a ticket that counts. */
  readonly unproven: number;
  /** Requests that were refused, by the word of the answer. */
  readonly refused: Readonly<Partial<Record<RefusalWord, number>>>;
  /** Bytes of bodies in memory. */
  readonly pendingBytes: number;
  /** Undefined without a journal. */
  readonly window: WindowStats | undefined;
}
