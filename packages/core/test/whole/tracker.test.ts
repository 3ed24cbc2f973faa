import { describe, expect, it } from 'vitest';
import { createTracker } from '../../src/entries/testing/testing.ts';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerEvents, TrackerOptions } from '../../src/index.ts';
import { answered, failed, hang, ScriptedTransport } from '../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ada = { correlationValue: 'ada@example.com' };

interface Bench {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly tracker: Tracker;
  /** Lets time pass, and promises settle in between. */
  readonly pass: (ms: number) => Promise<void>;
  readonly track: (count: number) => Promise<void>;
}

function createBench(options: Partial<TrackerOptions> = {}): Bench {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock);
  const tracker = createTracker({
    ...{ baseUrl: 'http://service.example', apiKey: 'first', correlationKey: 'email', journal: 'memory' },
    ...{ clock, transport, random: () => 0.5, commitIntervalMs: 0, batch: { maxEvents: 10, maxWaitMs: 0 } },
    ...options,
  });
  const pass = async (ms: number): Promise<void> => {
    const step = Math.max(1, Math.ceil(ms / 50));
    for (let left = ms; left > 0; left -= step) {
      await clock.advance(Math.min(left, step));
      await settle();
    }
  };
  const track = async (count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) tracker.track('event', { number }, ada);
    await pass(10);
  };
  return { clock, transport, tracker, pass, track };
}

/** The details of all emitted events with this name. */
function raised<Name extends keyof TrackerEvents>(tracker: Tracker, name: Name): TrackerEvents[Name][] {
  const details: TrackerEvents[Name][] = [];
  tracker.on(name, (detail) => details.push(detail));
  return details;
}

/** The value of a promise, once it has resolved. */
function watch<Value>(promise: Promise<Value>): { value?: Value } {
  const state: { value?: Value } = {};
  void promise.then((value) => {
    state.value = value;
  });
  return state;
}

describe('setApiKey()', () => {
  it('has a sender that paused because of the former key go on at once, with the new one', async () => {
    const { transport, tracker, pass, track } = createBench();
    transport.respond = ({ headers }) => answered(headers.authorization === 'Api-Key second' ? 200 : 401);
    const [paused, resumed] = [raised(tracker, 'paused'), raised(tracker, 'resumed')];
    await track(25);
    await pass(10 * MINUTE);
    expect(tracker.stats().pause).toMatchObject({ reason: 'unauthorized', status: 401 });
    expect(paused.length).toBeGreaterThan(1);
    expect(resumed).toEqual([]);
    tracker.setApiKey('second');
    await pass(10);
    expect(tracker.stats()).toMatchObject({ delivered: 25, pending: 0, pause: undefined, breaker: 'closed' });
    expect(resumed).toEqual([{}]);
  });

  it('is not held up by answers to the former one', async () => {
    const { transport, tracker, pass, track } = createBench({ delivery: { maxConcurrency: 4 } });
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    transport.respond = async ({ headers }) => {
      if (headers.authorization === 'Api-Key second') return answered(200);
      await opened;
      return answered(401);
    };
    const paused = raised(tracker, 'paused');
    await track(40);
    expect(transport.open).toBe(4);
    tracker.setApiKey('second');
    open();
    await pass(10);
    expect(paused).toEqual([]);
    expect(tracker.stats()).toMatchObject({ delivered: 40, pending: 0 });
  });

  it.each([undefined, '', 'two words', 'line\nbreak', 5, 'ключ'])(
    'refuses what is no key: %j',
    async (key) => {
      const { transport, tracker, track } = createBench();
      expect(() => tracker.setApiKey(key as string)).toThrow(/apiKey must be/);
      await track(1);
      expect(transport.requests[0]?.headers.authorization).toBe('Api-Key first');
    },
  );
});

describe('flush(), where the service does not work', () => {
  it('ends at once where the sender pauses for longer than it may take, and says what is pending', async () => {
    const { transport, tracker, track } = createBench();
    transport.respond = () => answered(401);
    await track(5);
    const flushed = watch(tracker.flush({ timeoutMs: 30 * SECOND }));
    await settle();
    expect(flushed.value).toEqual({
      ...{ delivered: 0, deadLettered: 0, dropped: 0, pending: 5 },
      pendingReason: 'unauthorized',
    });
  });

  it('ends as soon as that is so', async () => {
    const { transport, tracker, pass } = createBench();
    transport.respond = () => answered(429, { retryAfter: '120' });
    tracker.track('event', {}, ada);
    const flushed = watch(tracker.flush({ timeoutMs: 60 * SECOND }));
    await pass(SECOND);
    expect(flushed.value).toMatchObject({ delivered: 0, pending: 1 });
    expect(transport.requests).toHaveLength(1);
  });

  it('waits where the service is asked again before it ends', async () => {
    const { transport, tracker, pass, track } = createBench();
    transport.respond = () => answered(transport.requests.length === 1 ? 401 : 200);
    await track(5);
    const flushed = watch(tracker.flush({ timeoutMs: 75 * SECOND }));
    await pass(30 * SECOND);
    expect(flushed.value).toBeUndefined();
    await pass(45 * SECOND);
    expect(flushed.value).toEqual({ delivered: 5, deadLettered: 0, dropped: 0, pending: 0 });
  });

  it('waits for a request that is under way', async () => {
    const { transport, tracker, pass, track } = createBench({ delivery: { maxConcurrency: 2 } });
    let end = (): void => {};
    transport.respond = () =>
      transport.requests.length > 1
        ? answered(401)
        : new Promise((resolve) => {
            end = () => resolve(answered(200));
          });
    await track(20);
    expect(tracker.stats().breaker).toBe('open');
    const flushed = watch(tracker.flush({ timeoutMs: 30 * SECOND }));
    await pass(SECOND);
    expect(flushed.value).toBeUndefined();
    end();
    await pass(10);
    expect(flushed.value).toMatchObject({ delivered: 10, pending: 10 });
  });

  it('waits to its end where no request succeeds', async () => {
    const { transport, tracker, pass, track } = createBench();
    transport.respond = () => failed(false);
    await track(1);
    const flushed = watch(tracker.flush({ timeoutMs: SECOND }));
    await pass(999);
    transport.respond = hang;
    await pass(1);
    expect(flushed.value).toMatchObject({ pending: 1 });
  });
});

describe('flush() and close(), several at once', () => {
  it('each report what became of events while they ran', async () => {
    const { tracker, pass } = createBench();
    for (let number = 0; number < 25; number += 1) tracker.track('event', { number }, ada);
    const reports = [
      watch(tracker.flush()),
      watch(tracker.flush()),
      watch(tracker.close()),
      watch(tracker.close()),
    ];
    await pass(SECOND);
    for (const { value } of reports) {
      expect(value).toEqual({ delivered: 25, deadLettered: 0, dropped: 0, pending: 0 });
    }
  });

  it('are one end: what is asked of the second close() changes nothing, and flush() waits for it', async () => {
    const { transport, tracker, pass } = createBench();
    transport.respond = hang;
    tracker.track('event', {}, ada);
    const first = tracker.close({ timeoutMs: 5 * SECOND });
    const second = tracker.close({ timeoutMs: 0 });
    const [closed, flushed] = [watch(first), watch(tracker.flush())];
    await pass(4 * SECOND);
    expect([closed.value, flushed.value]).toEqual([undefined, undefined]);
    await pass(4 * SECOND);
    expect(await second).toBe(closed.value);
    expect(closed.value).toMatchObject({ delivered: 0, dropped: 1, pending: 0 });
    expect(flushed.value).toMatchObject({ delivered: 0, dropped: 1, pending: 0 });
  });

  it('end at once if their deadline has passed', async () => {
    const { transport, tracker, pass } = createBench();
    transport.respond = hang;
    tracker.track('event', {}, ada);
    const flushed = watch(tracker.flush({ timeoutMs: -1 }));
    await pass(1);
    expect(flushed.value).toMatchObject({ delivered: 0, pending: 1 });
  });

  it('leave no timer', async () => {
    const { clock, transport, tracker, pass } = createBench({ storage: { maxAgeMs: 60 * MINUTE } });
    transport.respond = () => answered(transport.requests.length % 2 === 0 ? 503 : 401);
    for (let number = 0; number < 50; number += 1) tracker.track('event', { number }, ada);
    for (let count = 0; count < 5; count += 1) void tracker.flush({ timeoutMs: MINUTE * count });
    await pass(MINUTE);
    void tracker.close({ timeoutMs: SECOND });
    await pass(6 * MINUTE);
    expect(clock.timers).toBe(0);
  });
});

describe('stats()', () => {
  it('tells of requests, rates and what was learned of the service', async () => {
    const { transport, tracker, pass } = createBench({ batch: { maxEvents: 5, maxWaitMs: 0 } });
    transport.respond = ({ events }) => answered(events.length > 4 ? 413 : 200);
    for (let second = 0; second < 10; second += 1) {
      for (let number = 0; number < 10; number += 1) tracker.track('event', { number }, ada);
      await pass(SECOND);
    }
    const { requests, rates, ...rest } = tracker.stats();
    expect(rest).toMatchObject({ delivered: 100, pending: 0, breaker: 'closed', pause: undefined });
    expect(requests).toMatchObject({
      sent: transport.requests.length,
      bytes: transport.requests.reduce((sum, { body }) => sum + body.length, 0),
    });
    expect(requests.failed).toBeGreaterThan(0);
    expect(rest.bodyLimit).toBeGreaterThan(0);
    expect(rates.acceptedPerSecond).toBeGreaterThan(8);
    expect(rates.deliveredPerSecond).toBeGreaterThan(8);
  });

  it('counts a request as failed once it failed, not while it is pending', async () => {
    const { transport, tracker, pass, track } = createBench();
    transport.respond = hang;
    await track(1);
    expect(tracker.stats().requests).toMatchObject({ sent: 1, failed: 0 });
    transport.respond = () => failed(true);
    await track(1);
    await pass(SECOND);
    expect(tracker.stats().requests.failed).toBeGreaterThan(0);
  });

  it('tells of the rate of a first burst', async () => {
    const { tracker, pass, track } = createBench({ batch: { maxEvents: 500, maxWaitMs: 0 } });
    await track(1_000);
    await pass(4_990);
    expect(tracker.stats().rates).toEqual({ acceptedPerSecond: 200, deliveredPerSecond: 200 });
  });

  it('tells of a rate that the service set, until it is known to bear more', async () => {
    const { transport, tracker, pass, track } = createBench({ batch: { maxEvents: 1, maxWaitMs: 0 } });
    const rates = raised(tracker, 'rateLimit');
    await track(20);
    transport.respond = () => answered(429);
    await track(1);
    transport.respond = () => answered(200);
    expect(tracker.stats().rateLimit).toBeGreaterThan(0);
    expect(rates).toEqual([{ perSecond: tracker.stats().rateLimit }]);
    for (let round = 0; round < 100; round += 1) {
      await track(10);
      await pass(SECOND);
    }
    expect(tracker.stats().rateLimit).toBeUndefined();
    expect(rates.at(-1)).toEqual({ perSecond: undefined });
  });

  it('tells of the last error, without the key', async () => {
    const { clock, transport, tracker, track } = createBench();
    transport.respond = () => failed(true, new Error('Api-Key first was reset'));
    await track(1);
    expect(tracker.stats().lastError).toEqual({
      at: expect.any(Number),
      message: expect.stringContaining('failed: Api-Key [key] was reset'),
    });
    expect(tracker.stats().lastError?.at).toBeLessThanOrEqual(clock.now());
  });
});
