import type { DropReason } from './books.ts';
import type { BreakerState } from './breaker.ts';

/** A snapshot. At every moment `accepted + recovered = delivered + deadLettered + (all of dropped) + pending`. */
export interface TrackerStats {
  /** Events that `track()` took. */
  readonly accepted: number;
  /** Events found that earlier lives left. */
  readonly recovered: number;
  /** Events that the service took. */
  readonly delivered: number;
  /** Events that the service refused for good; they are kept. */
  readonly deadLettered: number;
  /** Events lost, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Events that wait, in memory, in the journal, or in a request. */
  readonly pending: number;
  /** Of the pending: in memory alone, be it that they are not written yet or that the journal fails. */
  readonly unwritten: number;
  /** Of the pending: in the journal alone. */
  readonly stored: number;
  /** Of the pending: in a request, or waiting for its retry. */
  readonly inFlight: number;
  /** Calls of `track()` and `identify()` that were refused. Not part of the sum. */
  readonly invalid: number;
  /** Events sent again after a request whose outcome is unknown. Not part of the sum. */
  readonly maybeDuplicate: number;
  /** Bytes of events in memory. */
  readonly memoryBytes: number;
  /** Bytes that the journal takes in storage. */
  readonly journalBytes: number;
  /** Age of the oldest event in memory, in milliseconds; undefined where there is none. */
  readonly oldestAgeMs: number | undefined;
  /** Where events are kept now: `file`, `indexeddb`, `memory`, or the kind of your own journal. */
  readonly journal: string;
  readonly breaker: BreakerState;
}

/** What became of events while `flush()` or `close()` ran, and what is left. */
export interface FlushReport {
  readonly delivered: number;
  readonly deadLettered: number;
  readonly dropped: number;
  /** Events that still wait; with a durable journal they are sent later, by this process or the next. */
  readonly pending: number;
}

/** How long `flush()` and `close()` may take. */
export interface FinishOptions {
  /** In milliseconds. Default: 30,000 for `flush()`, 10,000 for `close()`. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal | undefined;
}
