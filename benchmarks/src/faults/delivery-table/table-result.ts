/** What becomes of the events of a case, and in how many requests. */
export interface TableResult {
  /** The action that the sender reported. */
  readonly action: string;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly dropped: number;
  readonly pending: number;
  /** Pending events that wait alone, because they are probably at fault. */
  readonly suspects: number;
  readonly requests?: number | undefined;
  readonly failedRequests?: number | undefined;
  /** Number of different bodies. What is sent again has the same body, unless it is sent in parts. */
  readonly bodies?: number | undefined;
  /** Time between the first request and the second, in milliseconds on the tracker's clock. */
  readonly waitMs?: readonly [least: number, most: number] | undefined;
  /** Time between the first and the last request with the bad event alone, in milliseconds. */
  readonly provenMs?: number | undefined;
  /** Events that the service may have taken without the sender's knowledge. */
  readonly maybeDuplicate: number;
}

/** The number of events in the batch, and the index of the bad one, if there is one. */
export const EVENTS = 4;
export const BAD_EVENT = 2;
/** In some cases so many events follow, one each second: the service accepts something all the time. */
export const NEWER_EVENTS = 120;
/** Enough failures to open the breaker, and more than a usual limit of retries. */
export const MANY = 12;

/** All random numbers for jitter are this one, so that the waits are known. */
export const RANDOM = 0.5;
/** The first wait before a retry. */
export const BACKOFF_MS: number = 500 * RANDOM;
/** What is added to the wait that a service asks for, and to a pause. */
export const JITTER: number = 1 + 0.2 * RANDOM;
const PAUSE_MS = 60_000;

/** Failures of the batch until chance no longer explains them. The sender knows little of this service yet. */
const REFUSED_BATCHES = 2;
const CRASHED_BATCHES = 4;
/** Failures of the bad event alone until it is at fault: once in a million times by chance. */
const PROOFS = 6;
/** Between these, an event that looks like a wrong key waits 1, 2, 4, 8 and 16 s and a quarter more. Five take no 30 s. */
const PROVEN_MS = 1.25 * 31_000;
/** A suspect is tried after 1, 2, 4, 8, 16, 32 and 60 minutes and a quarter more. Then the run is over. */
const SUSPECT_TRIES = 7;

const ALL_DELIVERED: TableResult = {
  ...{ action: 'accept', delivered: EVENTS, deadLettered: 0, dropped: 0, pending: 0, suspects: 0 },
  ...{ requests: 1, bodies: 1, maybeDuplicate: 0 },
};
export const RETRIED: Partial<TableResult> = { action: 'retry', requests: 2, waitMs: exactly(BACKOFF_MS) };
export const RESENT: Partial<TableResult> = { ...RETRIED, maybeDuplicate: EVENTS };
/** No request reached the service. */
export const ALL_KEPT: Partial<TableResult> = {
  ...{ action: 'retry', delivered: 0, pending: EVENTS, requests: MANY, bodies: 0 },
};

/** Nothing was ever accepted: all wait. After a minute one event is the probe, and then the others go. */
export const PAUSED: Partial<TableResult> = {
  ...{ action: 'pause', requests: 3, bodies: 3, waitMs: exactly(PAUSE_MS * JITTER) },
};
/** Nothing was ever accepted, but one event may be at fault: one of the others tells at once. */
export const DOUBTED: Partial<TableResult> = { ...PAUSED, waitMs: exactly(BACKOFF_MS) };
/** One refusal may be chance: the whole batch goes again. */
export const REPEATED: Partial<TableResult> = {
  ...{ action: 'isolate', requests: 2, waitMs: exactly(BACKOFF_MS) },
};
export const SPLIT: Partial<TableResult> = { action: 'split', requests: 3, bodies: 3, waitMs: exactly(0) };
/** The batch fails until chance does not explain it. So its halves are tried, until both are accepted. */
export const HALVED: Partial<TableResult> = {
  ...{ ...RETRIED, requests: MANY + 2, bodies: 3 },
  maybeDuplicate: CRASHED_BATCHES * EVENTS + ((MANY - CRASHED_BATCHES) * EVENTS) / 2,
};
/** All is refused until each event is alone, and then all are accepted: none is at fault. */
export const ABSOLVED: Partial<TableResult> = { requests: MANY + EVENTS };

/** The batch; then the half with the bad event once, since the other half is accepted; then the bad event alone. */
const REFUSED = REFUSED_BATCHES + 1 + PROOFS;
/** The bad event becomes a dead letter. The others are delivered: one half of the batch, and a half of the other half. */
const ENDED: Partial<TableResult> = { delivered: EVENTS - 1, deadLettered: 1, bodies: 5 };
export const ISOLATED: Partial<TableResult> = { ...REPEATED, ...ENDED, requests: REFUSED + 2 };
/** The batch and its half once each, the bad event as often as a batch is refused. */
export const SHRUNK: Partial<TableResult> = { ...SPLIT, ...ENDED, requests: 2 + REFUSED_BATCHES + 2 };

/** The bad event is among others that are accepted. */
const AMONG_OTHERS: Partial<TableResult> = {
  ...{ delivered: EVENTS - 1 + NEWER_EVENTS, requests: undefined, bodies: undefined },
};
/** The bad event becomes a dead letter, but not within 30 s. Of the batch, one event is the probe; the others are halved. */
export const DENIED: Partial<TableResult> = {
  ...{ ...DOUBTED, ...AMONG_OTHERS, deadLettered: 1 },
  ...{ failedRequests: REFUSED, provenMs: PROVEN_MS },
};
/**
 * The bad event is never a dead letter. The first refusal pauses all; after a pause refusals count anew. Newer events are accepted by
 * then, more than the batch has: so the half with the bad event is not asked for.
 */
export const SUSPECTED: Partial<TableResult> = {
  ...{ ...PAUSED, ...AMONG_OTHERS, pending: 1, suspects: 1 },
  failedRequests: 1 + REFUSED_BATCHES + PROOFS + SUSPECT_TRIES,
};
export const CRASHED: Partial<TableResult> = {
  ...{ ...RETRIED, ...AMONG_OTHERS, pending: 1, suspects: 1 },
  failedRequests: CRASHED_BATCHES + 1 + PROOFS + SUSPECT_TRIES,
  maybeDuplicate: CRASHED_BATCHES * EVENTS + EVENTS / 2 + PROOFS + SUSPECT_TRIES,
};

export function exactly(ms: number): [least: number, most: number] {
  return [Math.round(ms), Math.round(ms)];
}

export function result(expected: Partial<TableResult>): TableResult {
  return { ...ALL_DELIVERED, ...expected };
}
