import type { Tracker, TrackerOptions } from '@sluice/core';
import type { Reply } from './scripted-service.ts';
import {
  ABSOLVED,
  ALL_KEPT,
  BACKOFF_MS,
  CRASHED,
  DENIED,
  DOUBTED,
  EVENTS,
  exactly,
  HALVED,
  ISOLATED,
  JITTER,
  MANY,
  NEWER_EVENTS,
  PAUSED,
  REPEATED,
  RESENT,
  RETRIED,
  result,
  SHRUNK,
  SPLIT,
  SUSPECTED,
  type TableResult,
} from './table-result.ts';

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
  /** So many events are tracked after the batch, one each second. None of them is bad. */
  readonly newerEvents?: number;
  readonly options?: Partial<TrackerOptions>;
  readonly whenPaused?: (tracker: Tracker) => void;
  readonly expected: TableResult;
}

const HOUR_MS = 60 * 60_000;
/** In real time. An answer takes much less, also on a busy machine. */
const IMPATIENT = { delivery: { timeoutMs: 5_000 } };

const TWO_XX = [200, 201, 202, 203, 204, 205, 206, 226, 299];
/** These may be the fault of an event. */
const DENIALS = [403, 404, 405, 410, 451];
/** These never are. */
const OURS = [300, 301, 302, 303, 304, 305, 307, 308, 401, 402, 407, 421, 426, 431];
/** The service calls the events wrong. */
const WRONG = [400, 406, 409, 411, 412, 414, 415, 416, 417, 418, 422, 423, 424, 428, 499, 501];
const OTHER_5XX = [500, 502, 504, 505, 506, 507, 508, 510, 511, 520, 599];

export const TABLE_CASES: readonly TableCase[] = [
  ...TWO_XX.map((status) => once({ status }, {})),
  once({ status: 200 }, {}, '200, empty body'),
  once({ status: 200, body: 'all is well' }, {}, '200, not JSON'),
  once({ status: 200, body: '<html>You are offline</html>', takes: false }, PAUSED, '200, an HTML page'),
  once({ status: 200, body: '{"taken":', end: 'cut short' }, {}, '200, cut short'),
  once({ status: 200, end: 'never' }, {}, '200, body without end'),
  ...OURS.map((status) => once({ status }, PAUSED)),
  ...DENIALS.map((status) => once({ status }, DOUBTED)),
  {
    ...once({ status: 401 }, { ...PAUSED, waitMs: exactly(0) }, '401, then setApiKey()'),
    whenPaused: (tracker) => tracker.setApiKey('another-key'),
  },
  ...DENIALS.map((status) => amongOthers(status, DENIED)),
  ...OURS.map((status) => amongOthers(status, SUSPECTED)),
  // Each probe is one event. Once one is accepted, the others go together.
  manyTimes(403, { ...DOUBTED, requests: MANY + 2, bodies: 8 }),
  once({ status: 408 }, RESENT),
  once({ status: 425 }, RETRIED),
  {
    ...once({ status: 409, takes: true }, {}, '409, as policy: accept'),
    options: { delivery: { policy: { 409: 'accept' } } },
  },
  once({ status: 413 }, SPLIT),
  toBadEvent(413, SHRUNK),
  manyTimes(413, { ...SPLIT, ...ABSOLVED, bodies: 7 }),
  ...[429, 503].flatMap(pushedBack),
  ...WRONG.flatMap((status) => [once({ status }, REPEATED, `${status}, once`), toBadEvent(status, ISOLATED)]),
  manyTimes(400, { ...REPEATED, ...ABSOLVED, bodies: 7 }),
  {
    ...once({ status: 418 }, { action: 'drop', delivered: 0, dropped: EVENTS }, '418, as policy: drop'),
    options: { delivery: { policy: { '4xx': 'drop' } } },
  },
  ...OTHER_5XX.map((status) => manyTimes(status, HALVED)),
  ...OTHER_5XX.map((status) => amongOthers(status, CRASHED)),
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
  { answer: 'refused', awayFor: MANY, expected: result({ action: 'retry', requests: MANY + 2, bodies: 2 }) },
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

function times(count: number, reply: Reply): Reply[] {
  return Array<Reply>(count).fill(reply);
}

type Status = Omit<Extract<Reply, { kind: 'status' }>, 'kind'>;

/** The service gives this answer once, and then works. */
function once(reply: Status, expected: Partial<TableResult>, answer = String(reply.status)): TableCase {
  return { answer, replies: [{ kind: 'status', ...reply }], expected: result(expected) };
}

function manyTimes(status: number, expected: Partial<TableResult>): TableCase {
  return {
    answer: `${status}, ${MANY} times`,
    replies: times(MANY, { kind: 'status', status }),
    expected: result(expected),
  };
}

function toBadEvent(status: number, expected: Partial<TableResult>): TableCase {
  return {
    answer: `${status}, to one of the events`,
    toBadEvent: { kind: 'status', status },
    expected: result(expected),
  };
}

function amongOthers(status: number, expected: Partial<TableResult>): TableCase {
  return {
    ...toBadEvent(status, expected),
    answer: `${status}, to one of the events, while others are accepted`,
    newerEvents: NEWER_EVENTS,
  };
}

function pushedBack(status: number): TableCase[] {
  const after = (words: string, retryAfter: (now: number) => string, waitMs: number, aheadMs = 0) => {
    const expected = { ...RETRIED, waitMs: exactly(waitMs) };
    return once({ status, retryAfter, aheadMs }, expected, `${status}, Retry-After ${words}`);
  };
  const date = (ms: number) => (now: number) => new Date(now + ms).toUTCString();
  const asked = 120_000;
  return [
    once({ status }, RETRIED),
    after('in seconds', () => String(asked / 1_000), asked * JITTER),
    after('as a date', date(asked), asked * JITTER),
    after('as a date of a clock that is ahead', date(asked), asked * JITTER, HOUR_MS),
    after('as a date of a clock that is behind', date(asked), asked * JITTER, -HOUR_MS),
    after('in the past', date(-asked), BACKOFF_MS),
    after('that is none', () => 'soon', BACKOFF_MS),
    after('in a year', () => String(365 * 24 * 3_600), HOUR_MS * JITTER),
  ];
}

/** The sender sees no answer: it cannot know whether the events were taken. */
function lost(answer: string, reply: Reply): TableCase {
  return { answer, replies: [reply], expected: result(RESENT) };
}
