import type { DropReason } from '../base/fate.ts';

/** State of the breaker. `closed`: requests are made. `open`: none is made. `half-open`: one is made, to test the service. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Why the sender makes no requests, except for a probe from time to time. */
export type PauseReason =
  /** The service refuses the key or the account: 401, 402, 403. `setApiKey()` with another key makes the sender try at once. */
  | 'unauthorized'
  /** The address is wrong, or something before the service refuses requests: 3xx, 404, 405, 407, 410, 421, 426, 431, 451. */
  | 'wrong-address'
  /** The service refused most of the last events: the service or this client is at fault, not the events. */
  | 'refused'
  /**
   * Something else answered with success in place of the service: another address, or an HTML page. The sender tries again when
   * the network or the page comes back, or when another page opens.
   */
  | 'intercepted'
  /** `delivery.policy` asks for a pause after such an answer. */
  | 'policy'
  /** Something in the browser, such as an ad blocker, blocks requests to the service, while other requests succeed. */
  | 'blocked'
  /** The service fails or cannot be reached. */
  | 'unavailable'
  /** The service asks to wait (`Retry-After`). */
  | 'asked';

/** The sender makes no requests, except for a probe from time to time. */
export interface Pause {
  readonly reason: PauseReason;
  /** The status of the service's answer; 0 if there was none. */
  readonly status: number;
  /** The start of its answer, without the key. */
  readonly words: string;
  /** Since when, in milliseconds since 1970. */
  readonly since: number;
  /** When the next probe is sent, in milliseconds since 1970. */
  readonly until: number;
  /** What to do about it. */
  readonly hint: string;
}

/** Why events are pending. */
export type PendingReason =
  /** The sender pauses: `stats().pause` says more. */
  | PauseReason
  /** All that is left fails again and again: `stats().suspects` lists it. */
  | 'suspects'
  /** They are held until `identify()` names their customer. */
  | 'unidentified'
  /** They wait for `setConsent('granted')`. */
  | 'consent'
  /** There was not enough time. If something failed, `stats().lastError` says what. */
  | 'time-out';

/** Durations of the last 500 requests until their answer, in milliseconds; all 0 if none was made. */
export interface Latency {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** An event that is probably at fault: it fails while others are accepted. It waits alone, and holds up no others. */
export interface Suspect {
  /** The event as JSON, at most its first 200 bytes. */
  readonly event: string;
  /** How often it was sent alone, and when it is sent next, in milliseconds since 1970. */
  readonly tries: number;
  readonly nextAt: number;
  /** The last answer: its status (0 if there was none), and its start, without the key. */
  readonly status: number;
  readonly words: string;
}

/** A snapshot. At every moment `accepted + recovered = delivered + deadLettered + (all of dropped) + pending`. */
export interface TrackerStats {
  /** Events that `track()` accepted. */
  readonly accepted: number;
  /** Events that previous processes or pages left, and dead letters that were replayed. */
  readonly recovered: number;
  /** Events that the service accepted. */
  readonly delivered: number;
  /** Events that the service refused for good; they are kept as dead letters. */
  readonly deadLettered: number;
  /** Events lost, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Events that wait in memory, in the journal, or in a request. */
  readonly pending: number;
  /** Of the pending: only in memory, because they are not written yet or the journal fails. */
  readonly unwritten: number;
  /** Of the pending: held until `identify()` names their customer. Those of previous pages count once their storage is read. */
  readonly held: number;
  /** Of the pending: only in the journal. */
  readonly stored: number;
  /** Of the pending: in a request, or waiting for its retry. */
  readonly inFlight: number;
  /** Calls of `track()` and `identify()` that were refused as invalid. Not part of the sum. */
  readonly invalid: number;
  /** Events sent again because the outcome of a request is unknown. Not part of the sum. */
  readonly maybeDuplicate: number;
  /** Bytes of events in memory. */
  readonly memoryBytes: number;
  /** Bytes that the journal takes in storage. */
  readonly journalBytes: number;
  /** Dead letters, also of previous processes: they are read at the first dead letter, or the first call on `deadLetters`. */
  readonly deadLetters: { readonly kept: number; readonly bytes: number };
  /**
   * Age of the oldest event that waits to be sent, wherever it is, in milliseconds; undefined if there is none. In a page, held
   * events count too. For events that a previous process left, it is the age of their file, which may be a little older.
   */
  readonly oldestAgeMs: number | undefined;
  /** Where events are kept now: `file`, `indexeddb`, `sqlite`, `postgres`, `memory`, or the kind of your own journal. */
  readonly journal: string;
  readonly breaker: BreakerState;
  /** Why and until when the sender pauses; undefined if it does not. */
  readonly pause: Pause | undefined;
  /** Of the pending: events that are probably at fault. At most 1,000 of them. */
  readonly suspects: readonly Suspect[];
  /** The most requests per second that Sluice makes since the service pushed back; undefined if there is no limit. */
  readonly rateLimit?: number | undefined;
  /** The largest body that Sluice sends since the service refused a larger one, in bytes; undefined if there is no limit. */
  readonly bodyLimit?: number | undefined;
  /** The most events that Sluice sends in a request since the service refused more; undefined if there is no limit. */
  readonly batchLimit?: number | undefined;
  readonly requests: {
    /** Requests ever made. */
    readonly sent: number;
    /** Of these, those that sent a batch again. */
    readonly retried: number;
    /** Of these, those that failed, or whose answer was not an acceptance. */
    readonly failed: number;
    /** Bytes of all bodies, as they were sent. */
    readonly bytes: number;
    readonly latencyMs: Latency;
  };
  /** Averages over the last ten seconds. */
  readonly rates: { readonly acceptedPerSecond: number; readonly deliveredPerSecond: number };
  /** The last failed request or failure of storage. */
  readonly lastError: { readonly at: number; readonly message: string } | undefined;
}

/** What became of events while `flush()` or `close()` ran, and what is left. */
export interface FlushReport {
  readonly delivered: number;
  readonly deadLettered: number;
  readonly dropped: number;
  /** Events that still wait, as far as the journal is read. With a durable journal, this process or the next one sends them later. */
  readonly pending: number;
  /** Why they wait; undefined if none do. */
  readonly pendingReason?: PendingReason | undefined;
}

/** How long `flush()` and `close()` may take. */
export interface FinishOptions {
  /** In milliseconds. Default: 30,000 for `flush()`, 10,000 for `close()`. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal | undefined;
}
