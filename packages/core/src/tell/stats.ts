import type { DropReason } from '../base/fate.ts';

/** State of the breaker. `closed`: requests flow. `open`: none is made. `half-open`: one is made, to see whether more may follow. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Why no request is made but a probe from time to time. */
export type PauseReason =
  /** The service does not take the key: 401, 403. `setApiKey()` resumes at once. */
  | 'unauthorized'
  /** The address is wrong, or leads elsewhere: 3xx, 404, 405, 410. */
  | 'misdirected'
  /** Most of what was sent of late was refused: it is the service or us, not the events. */
  | 'refused'
  /** Somebody else answers in its place, with success: another address, or an HTML page. `online` and a page that opens ask again. */
  | 'intercepted'
  /** `delivery.policy` says so of another answer. */
  | 'policy'
  /** Something in the browser, as an ad-blocker, lets no request through to the service, while others succeed. */
  | 'blocked';

/** The sender waits, and asks the service again from time to time. */
export interface Pause {
  readonly reason: PauseReason;
  /** What the service answered; 0 where it could not. */
  readonly status: number;
  /** When the service is asked again, in milliseconds since 1970. */
  readonly until: number;
}

/** How long requests took until their answer, in milliseconds, of the last 500; all 0 where none was made. */
export interface Latency {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** A snapshot. At every moment `accepted + recovered = delivered + deadLettered + (all of dropped) + pending`. */
export interface TrackerStats {
  /** Events that `track()` took. */
  readonly accepted: number;
  /** Events found that earlier lives left, and dead letters that were replayed. */
  readonly recovered: number;
  /** Events that the service took. */
  readonly delivered: number;
  /** Events that the service refused for good; they are kept as dead letters. */
  readonly deadLettered: number;
  /** Events lost, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Events that wait, in memory, in the journal, or in a request. */
  readonly pending: number;
  /** Of the pending: in memory alone, be it that they are not written yet or that the journal fails. */
  readonly unwritten: number;
  /** Of the pending: held until `identify()` says whose they are; those of earlier lives as far as they were looked at. */
  readonly held: number;
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
  /** Dead letters, this life's and those of earlier ones, as far as they were looked at: with the first, or the first call. */
  readonly deadLetters: { readonly kept: number; readonly bytes: number };
  /**
   * Age of the oldest event that waits to be sent, in milliseconds, in whatever place; undefined where there is none. Of events of an
   * earlier life it is known to the file they are in, which may be a little older.
   */
  readonly oldestAgeMs: number | undefined;
  /** Where events are kept now: `file`, `indexeddb`, `memory`, or the kind of your own journal. */
  readonly journal: string;
  readonly breaker: BreakerState;
  /** Why and until when the sender waits; undefined where it does not. */
  readonly pause: Pause | undefined;
  /** Requests per second that the service is sent at the most, since it pushed back; undefined where it has not. */
  readonly rateLimit: number | undefined;
  /** The largest body that the service is sent, in bytes, since it refused a larger one; undefined where it has not. */
  readonly bodyLimit: number | undefined;
  readonly requests: {
    /** Requests ever made. */
    readonly sent: number;
    /** Of these, those that sent a batch again. */
    readonly retried: number;
    /** Of these, those that failed or were answered by anything but an acceptance. */
    readonly failed: number;
    /** Bytes of all bodies. */
    readonly bytes: number;
    readonly latencyMs: Latency;
  };
  /** Of the last ten seconds. */
  readonly rates: { readonly acceptedPerSecond: number; readonly deliveredPerSecond: number };
  /** The last failed request or failure of storage. */
  readonly lastError: { readonly at: number; readonly message: string } | undefined;
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
