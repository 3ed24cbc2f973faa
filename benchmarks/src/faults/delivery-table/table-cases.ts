import type { Tracker, TrackerOptions } from '@sluice/core';
import type { Reply } from './scripted-service.ts';

/** One row of the delivery table, as a test case. */
export interface TableCase {
  /** What the service answers or does, in words. */
  readonly answer: string;
  /** Its replies to the first requests. After these it works. */
  readonly replies?: readonly Reply[];
  /** Its reply to each request that contains the bad event. */
  readonly toBadEvent?: Reply;
  /** The address for the events, given the port of the service. Default: the service. */
  readonly baseUrl?: (port: number) => string;
  /** The service is down until this many requests have failed. */
  readonly awayFor?: number;
  /** The run stops after this many failed requests. */
  readonly enoughAfter?: number;
  readonly options?: Partial<TrackerOptions>;
  readonly whenPaused?: (tracker: Tracker) => void;
  readonly expected: TableResult;
}

/** The outcome of a row, for a batch of four events. */
export interface TableResult {
  /** The action that the sender reported. */
  readonly action: string;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly dropped: number;
  readonly pending: number;
  readonly requests: number;
  /** Time between the first request and the second, in milliseconds on the tracker's clock. */
  readonly waitMs?: readonly [least: number, most: number] | undefined;
  /** Events that the service may have taken without the sender's knowledge. */
  readonly maybeDuplicate: number;
}

/** The number of events in the batch, and the index of the bad one, if there is one. */
export const EVENTS = 4;
export const BAD_EVENT = 2;

/** All random numbers for jitter are this one, so that the waits are known. */
export const RANDOM = 0.5;
/** The first wait before a retry. */
const BACKOFF_MS = 500 * RANDOM;
const PAUSE_MS = 60_000;
const SLOW_PAUSE_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
const MOST_JITTER = 1.2;
const JITTER = 1 + (MOST_JITTER - 1) * RANDOM;
/** Enough failures to open the breaker, and more than a usual limit of retries. */
const MANY = 12;

const ALL_DELIVERED: TableResult = {
  ...{ action: 'accept', delivered: EVENTS, deadLettered: 0, dropped: 0, pending: 0 },
  ...{ requests: 1, maybeDuplicate: 0 },
};
const RETRIED: Partial<TableResult> = { action: 'retry', requests: 2, waitMs: exactly(BACKOFF_MS) };
const RESENT: Partial<TableResult> = { ...RETRIED, maybeDuplicate: EVENTS };
const ALL_KEPT: Partial<TableResult> = { action: 'retry', delivered: 0, pending: EVENTS, requests: MANY };

/** In real time. An answer takes much less. */
const IMPATIENT = { delivery: { timeoutMs: 1_000 } };

const TWO_XX = [200, 201, 202, 203, 204, 205, 206, 226, 299];
const THREE_XX = [300, 301, 302, 303, 304, 305, 307, 308];
const OTHER_4XX = [402, 406, 407, 411, 412, 414, 415, 416, 417, 418, 421, 423, 424, 426, 428, 431, 451, 499];
const OTHER_5XX = [500, 502, 504, 505, 506, 507, 508, 510, 511, 520, 599];

export const TABLE_CASES: readonly TableCase[] = [
  ...TWO_XX.map((status) => once({ status }, {})),
  once({ status: 200 }, {}, '200, empty body'),
  once({ status: 200, body: 'all is well' }, {}, '200, not JSON'),
  {
    ...once({ status: 200, body: '<html>You are offline</html>', takes: false }, {}, '200, an HTML page'),
    expected: result({ action: 'pause', requests: 2, waitMs: [PAUSE_MS, PAUSE_MS * MOST_JITTER] }),
  },
  once({ status: 200, body: '{"taken":', end: 'cut short' }, {}, '200, cut short'),
  once({ status: 200, end: 'never' }, {}, '200, body without end'),
  ...THREE_XX.map((status) => paused(status, SLOW_PAUSE_MS)),
  ...[400, 422].flatMap((status) => isolated(status, 0)),
  ...[401, 403].map((status) => paused(status, PAUSE_MS)),
  {
    ...once({ status: 401 }, { action: 'pause', requests: 2, waitMs: exactly(0) }, '401, then setApiKey()'),
    whenPaused: (tracker) => tracker.setApiKey('another-key'),
  },
  ...[404, 405, 410].map((status) => paused(status, SLOW_PAUSE_MS)),
  once({ status: 408 }, RESENT),
  once({ status: 425 }, RETRIED),
  ...isolated(409, 0),
  {
    ...once({ status: 409, takes: true }, {}, '409, as policy: accept'),
    options: { delivery: { policy: { 409: 'accept' } } },
  },
  once({ status: 413 }, { action: 'split', requests: 3, waitMs: exactly(0) }),
  toBadEvent(413, { action: 'split', requests: 5 }),
  ...[429, 503].flatMap(pushedBack),
  ...[...OTHER_4XX, 501].flatMap((status) => isolated(status, 2 * BACKOFF_MS)),
  {
    ...once({ status: 418 }, { action: 'drop', delivered: 0, dropped: EVENTS }, '418, as policy: drop'),
    options: { delivery: { policy: { '4xx': 'drop' } } },
  },
  ...OTHER_5XX.map((status) => ({
    answer: `${status}, ${MANY} times`,
    replies: times(MANY, { kind: 'status', status }),
    expected: result({ ...RETRIED, requests: MANY + 1, maybeDuplicate: MANY * EVENTS }),
  })),
  {
    answer: '500, until they are too old',
    replies: times(MANY, { kind: 'status', status: 500 }),
    // Time for three tries: at 0, 1 and 3 waits.
    options: { storage: { maxAgeMs: 4 * BACKOFF_MS } },
    expected: result({ ...RESENT, delivered: 0, dropped: EVENTS, requests: 3, maybeDuplicate: 3 * EVENTS }),
  },
  {
    answer: 'no such name',
    baseUrl: (port) => `http://${'x'.repeat(64)}.example:${port}`,
    enoughAfter: MANY,
    expected: result(ALL_KEPT),
  },
  { answer: 'refused', awayFor: MANY, expected: result({ action: 'retry', requests: MANY + 1 }) },
  {
    answer: 'no TLS',
    baseUrl: (port) => `https://127.0.0.1:${port}`,
    enoughAfter: MANY,
    expected: result(ALL_KEPT),
  },
  lost('reset before the body', { kind: 'reset', when: 'before the body' }),
  lost('reset after the body', { kind: 'reset', when: 'after the body' }),
  lost('reset after the body, taken', { kind: 'reset', when: 'after the body', takes: true }),
  { ...lost('time-out', { kind: 'hang' }), options: IMPATIENT },
  { ...lost('time-out, taken', { kind: 'hang', takes: true }), options: IMPATIENT },
];

function exactly(ms: number): [least: number, most: number] {
  return [Math.round(ms), Math.round(ms)];
}

function times(count: number, reply: Reply): Reply[] {
  return Array<Reply>(count).fill(reply);
}

function result(expected: Partial<TableResult>): TableResult {
  return { ...ALL_DELIVERED, ...expected };
}

type Status = Omit<Extract<Reply, { kind: 'status' }>, 'kind'>;

/** The service gives this answer once, and then works. */
function once(reply: Status, expected: Partial<TableResult>, answer = String(reply.status)): TableCase {
  return { answer, replies: [{ kind: 'status', ...reply }], expected: result(expected) };
}

function paused(status: number, ms: number): TableCase {
  return once({ status }, { action: 'pause', requests: 2, waitMs: [ms, ms * MOST_JITTER] });
}

/** Two cases: once, after which all events are taken in parts; and each time, for one bad event. */
function isolated(status: number, restMs: number): TableCase[] {
  const waitMs = exactly(restMs);
  return [
    once({ status }, { action: 'isolate', requests: 4, waitMs }, `${status}, once`),
    toBadEvent(status, { action: 'isolate', requests: 5, waitMs }),
  ];
}

function toBadEvent(status: number, expected: Partial<TableResult>): TableCase {
  return {
    answer: `${status}, to one of the events`,
    toBadEvent: { kind: 'status', status },
    expected: result({ delivered: EVENTS - 1, deadLettered: 1, ...expected }),
  };
}

function pushedBack(status: number): TableCase[] {
  const after = (words: string, value: (now: number) => string, waitMs: [least: number, most: number]) =>
    once({ status, retryAfter: value }, { ...RETRIED, waitMs }, `${status}, Retry-After ${words}`);
  const date = (ms: number) => (now: number) => new Date(now + ms).toUTCString();
  const asked = 120_000;
  return [
    once({ status }, RETRIED),
    after('in seconds', () => String(asked / 1_000), exactly(asked * JITTER)),
    // An HTTP date has no milliseconds.
    after('as a date', date(asked), [(asked - 1_000) * JITTER, asked * JITTER]),
    after('in the past', date(-asked), exactly(BACKOFF_MS)),
    after('that is none', () => 'soon', exactly(BACKOFF_MS)),
    after('in a year', () => String(365 * 24 * 3_600), exactly(HOUR_MS * JITTER)),
  ];
}

/** The sender sees no answer: it cannot know whether the events were taken. */
function lost(answer: string, reply: Reply): TableCase {
  return { answer, replies: [reply], expected: result(RESENT) };
}
