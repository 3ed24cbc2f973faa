import { describe, expect, it } from 'vitest';
import { createTracker } from '../../src/entries/testing/testing.ts';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerEvents, TrackerOptions } from '../../src/index.ts';
import { answered, failed, hang, ScriptedTransport } from '../bench/scripted-transport.ts';

const DAY = 24 * 60 * 60_000;

interface Bench {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly tracker: Tracker;
  /** Lets time pass, and promises settle in between. */
  readonly pass: (ms: number) => Promise<void>;
  /** The customers and the numbers of the events that the service took, in order. */
  readonly delivered: () => [customer: string, number: number][];
  readonly dropped: TrackerEvents['dropped'][];
}

interface Sent {
  readonly correlationValue: string;
  readonly payload: { readonly number: number };
}

function createBench(options: Partial<TrackerOptions> = {}): Bench {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock);
  const tracker = createTracker({
    ...{ baseUrl: 'http://service.example', correlationKey: 'email', journal: 'memory' },
    ...{ clock, transport, random: () => 0.5, commitIntervalMs: 10, unidentified: { hold: true } },
    ...options,
  });
  const pass = async (ms: number): Promise<void> => {
    const step = Math.max(1, Math.ceil(ms / 50));
    for (let left = ms; left > 0; left -= step) {
      await clock.advance(Math.min(left, step));
      await settle();
    }
  };
  const delivered = () =>
    transport.requests
      .flatMap(({ events }) => events as readonly Sent[])
      .map((event): [string, number] => [event.correlationValue, event.payload.number]);
  const dropped: TrackerEvents['dropped'][] = [];
  tracker.on('dropped', (detail) => dropped.push(detail));
  return { clock, transport, tracker, pass, delivered, dropped };
}

function track(tracker: Tracker, ...numbers: readonly number[]): void {
  for (const number of numbers) tracker.track('viewed', { number });
}

/** Checks that accepted + recovered = delivered + deadLettered + dropped + pending. */
function expectBalance(tracker: Tracker): void {
  const { accepted, recovered, delivered, deadLettered, dropped, pending } = tracker.stats();
  const lost = Object.values(dropped).reduce((total, count) => total + count, 0);
  expect(accepted + recovered).toBe(delivered + deadLettered + lost + pending);
}

describe('what is tracked before identify()', () => {
  it('is held, and delivered as the customer who is identified then', async () => {
    const { tracker, pass, delivered } = createBench();
    track(tracker, 1, 2);
    await pass(5_000);
    expect(delivered()).toEqual([]);
    expect(tracker.stats()).toMatchObject({ accepted: 2, pending: 2, held: 2 });
    tracker.identify('ada@example.com');
    track(tracker, 3);
    await pass(5_000);
    expect(delivered().sort()).toEqual([
      ['ada@example.com', 1],
      ['ada@example.com', 2],
      ['ada@example.com', 3],
    ]);
    expect(tracker.stats()).toMatchObject({ accepted: 3, recovered: 0, delivered: 3, pending: 0, held: 0 });
  });

  it('keeps its uuid, its time, and every other byte', async () => {
    const bodies = async (identify: 'before' | 'after') => {
      const { tracker, pass, transport } = createBench();
      const options = { uuid: '8a5f7a6e-4c2f-4d0e-9e57-0f6a8f1c2d3e', timestamp: 0, source: 'mobile' };
      if (identify === 'before') tracker.identify('a"d$&\\a\u{1F600}');
      tracker.track(',"correlationValue":"', { ',"correlationValue":""': ['', '"', 'é'] }, options);
      await pass(100);
      if (identify === 'after') tracker.identify('a"d$&\\a\u{1F600}');
      await pass(5_000);
      return transport.requests.map(({ text }) => text);
    };
    expect(await bodies('after')).toHaveLength(1);
    expect(await bodies('after')).toEqual(await bodies('before'));
  });

  it('does not hold up what says whose it is', async () => {
    const { tracker, pass, delivered } = createBench();
    track(tracker, 1);
    tracker.track('viewed', { number: 2, correlationValue: '' }, { correlationValue: 'bob@example.com' });
    await pass(5_000);
    expect(delivered()).toEqual([['bob@example.com', 2]]);
    expect(tracker.stats()).toMatchObject({ held: 1, pending: 1 });
  });

  it('is held whatever its payload tracks while its text is made', async () => {
    const { tracker, pass, delivered } = createBench();
    const inner = () => tracker.track('viewed', { number: 2 }, { correlationValue: 'bob@example.com' });
    tracker.track('viewed', { number: 1, at: { toJSON: () => inner() } });
    await pass(5_000);
    expect(delivered().every(([customer]) => customer === 'bob@example.com')).toBe(true);
    expect(tracker.stats()).toMatchObject({ held: 1 });
  });

  it('goes on at once where it is still in memory, and where it is stored', async () => {
    for (const wait of [0, 1, 10, 100]) {
      const { tracker, pass, delivered } = createBench({ batch: { maxWaitMs: 0 } });
      track(tracker, 1);
      await pass(wait);
      tracker.identify('ada@example.com');
      await pass(50);
      expect(delivered()).toEqual([['ada@example.com', 1]]);
      expectBalance(tracker);
    }
  });

  it('goes nowhere with reset(): it is dropped, and counted', async () => {
    for (const wait of [0, 100]) {
      const { tracker, pass, delivered, dropped } = createBench();
      track(tracker, 1, 2);
      await pass(wait);
      tracker.reset();
      track(tracker, 3);
      expectBalance(tracker);
      await pass(wait);
      tracker.identify('bob@example.com');
      await pass(5_000);
      expect(delivered()).toEqual([['bob@example.com', 3]]);
      expect(dropped).toEqual([{ reason: 'unidentified', count: 2 }]);
      expectBalance(tracker);
    }
  });

  it('never mixes two customers, however fast they follow each other', async () => {
    const { tracker, pass, delivered, dropped } = createBench();
    track(tracker, 1);
    tracker.identify('ada@example.com');
    track(tracker, 2);
    tracker.reset();
    track(tracker, 3);
    tracker.identify('bob@example.com');
    track(tracker, 4);
    tracker.reset();
    track(tracker, 5);
    tracker.reset();
    await pass(5_000);
    expect(delivered().sort()).toEqual([
      ['ada@example.com', 1],
      ['ada@example.com', 2],
      ['bob@example.com', 3],
      ['bob@example.com', 4],
    ]);
    expect(dropped).toEqual([{ reason: 'unidentified', count: 1 }]);
    expect(tracker.stats().pending).toBe(0);
  });

  it('is dropped above its bound, the newest first', async () => {
    for (const wait of [0, 20]) {
      const unidentified = { hold: true, maxBytes: 64 * 1024 };
      const { tracker, pass, delivered, dropped } = createBench({ unidentified });
      const filler = 'x'.repeat(10_000);
      for (let number = 0; number < 20; number += 1) {
        tracker.track('viewed', { number, filler });
        if (wait > 0) await pass(wait);
        expectBalance(tracker);
      }
      const { held } = tracker.stats();
      expect(held).toBe(6);
      expect(dropped).toEqual(Array.from({ length: 14 }, () => ({ reason: 'journal-full', count: 1 })));
      tracker.identify('ada@example.com');
      await pass(5_000);
      expect(delivered().map(([, number]) => number)).toEqual([0, 1, 2, 3, 4, 5]);
      expectBalance(tracker);
    }
  });

  it('is dropped when it is too old', async () => {
    const { tracker, pass, delivered, dropped } = createBench();
    track(tracker, 1);
    await pass(20 * DAY);
    track(tracker, 2);
    await pass(12 * DAY);
    tracker.identify('ada@example.com');
    await pass(5_000);
    expect(delivered()).toEqual([['ada@example.com', 2]]);
    expect(dropped).toEqual([{ reason: 'expired', count: 1 }]);
    expectBalance(tracker);
  });

  it('does not hold up flush() or close(), which say that it waits', async () => {
    const { tracker, pass } = createBench();
    track(tracker, 1, 2);
    tracker.track('viewed', { number: 3 }, { correlationValue: 'ada@example.com' });
    const flushed = tracker.flush();
    await pass(1_000);
    expect(await flushed).toMatchObject({
      delivered: 1,
      dropped: 0,
      pending: 2,
      pendingReason: 'unidentified',
    });
    const closed = tracker.close();
    await pass(1_000);
    // No journal contains them.
    expect(await closed).toEqual({ delivered: 0, deadLettered: 0, dropped: 2, pending: 0 });
    expect(tracker.stats().dropped.closed).toBe(2);
    expectBalance(tracker);
  });

  it('is delivered by a flush() that follows identify()', async () => {
    const { tracker, pass } = createBench();
    track(tracker, 1, 2);
    await pass(100);
    tracker.identify('ada@example.com');
    const flushed = tracker.flush();
    await pass(1_000);
    expect(await flushed).toEqual({ delivered: 2, deadLettered: 0, dropped: 0, pending: 0 });
  });

  it('is invalid where it is not to be held', async () => {
    const { tracker, pass } = createBench({ unidentified: { hold: false } });
    track(tracker, 1);
    tracker.identify('ada@example.com');
    track(tracker, 2);
    tracker.reset();
    track(tracker, 3);
    await pass(5_000);
    expect(tracker.stats()).toMatchObject({ invalid: 2, accepted: 1, delivered: 1 });
  });

  it('is invalid where it names an empty user itself', () => {
    const { tracker } = createBench();
    tracker.track('viewed', {}, { correlationValue: '' });
    expect(tracker.stats()).toMatchObject({ invalid: 1, accepted: 0 });
  });

  it('leaves no timer once it is on its road', async () => {
    const { tracker, pass, clock } = createBench();
    track(tracker, 1);
    await pass(100);
    tracker.identify('ada@example.com');
    await tracker.flush();
    expect(tracker.stats().pending).toBe(0);
    expect(clock.timers).toBe(0);
  });
});

describe('consent', () => {
  it('that is pending keeps events in memory, and lets them go once it is granted', async () => {
    const { tracker, pass, delivered } = createBench({ consent: 'pending' });
    tracker.identify('ada@example.com');
    track(tracker, 1, 2);
    await pass(60_000);
    expect(delivered()).toEqual([]);
    expect(tracker.stats()).toMatchObject({ pending: 2, unwritten: 2, stored: 0, journalBytes: 0 });
    tracker.setConsent('granted');
    track(tracker, 3);
    await pass(5_000);
    expect(delivered()).toEqual([
      ['ada@example.com', 1],
      ['ada@example.com', 2],
      ['ada@example.com', 3],
    ]);
    expectBalance(tracker);
  });

  it('that is pending is bounded by the buffer', () => {
    const { tracker, dropped } = createBench({ consent: 'pending', buffer: { maxEvents: 3 } });
    track(tracker, 1, 2, 3, 4, 5);
    expect(tracker.stats().pending).toBe(3);
    expect(dropped).toEqual([
      { reason: 'buffer-full', count: 1 },
      { reason: 'buffer-full', count: 1 },
    ]);
    expectBalance(tracker);
  });

  it('that comes late finds every event with the customer it belongs to', async () => {
    const { tracker, pass, delivered, dropped } = createBench({ consent: 'pending' });
    track(tracker, 1);
    tracker.identify('ada@example.com');
    track(tracker, 2);
    tracker.reset();
    track(tracker, 3);
    tracker.identify('bob@example.com');
    tracker.reset();
    track(tracker, 4);
    tracker.reset();
    tracker.setConsent('granted');
    await pass(5_000);
    expect(delivered().sort()).toEqual([
      ['ada@example.com', 1],
      ['ada@example.com', 2],
      ['bob@example.com', 3],
    ]);
    expect(dropped).toEqual([{ reason: 'unidentified', count: 1 }]);
    expectBalance(tracker);
  });

  it('that is denied drops what waits for it, and all that comes', async () => {
    const { tracker, pass, delivered, dropped } = createBench({ consent: 'pending' });
    track(tracker, 1, 2);
    tracker.setConsent('denied');
    expectBalance(tracker);
    tracker.identify('ada@example.com');
    track(tracker, 3);
    await pass(5_000);
    expect(delivered()).toEqual([]);
    expect(dropped).toEqual([
      { reason: 'denied', count: 2 },
      { reason: 'denied', count: 1 },
    ]);
    expect(tracker.stats()).toMatchObject({ pending: 0, journalBytes: 0 });
  });

  it('that is denied later drops what is held, what waits and what is stored', async () => {
    const { tracker, pass, transport, dropped } = createBench();
    transport.respond = () => failed(false);
    track(tracker, 1, 2);
    const ada = { correlationValue: 'ada@example.com' };
    for (let number = 0; number < 1_000; number += 1) tracker.track('bought', { number }, ada);
    await pass(100);
    tracker.track('bought', {}, ada);
    tracker.setConsent('denied');
    expectBalance(tracker);
    await pass(5 * 60_000);
    expectBalance(tracker);
    expect(tracker.stats()).toMatchObject({ pending: 0, held: 0 });
    expect(dropped.every(({ reason }) => reason === 'denied')).toBe(true);
    expect(dropped.reduce((total, { count }) => total + count, 0)).toBe(1_003);
  });

  it('that is denied sends nothing again that waited for its retry, nor what was in a request that fails', async () => {
    for (const isUnderWay of [false, true]) {
      const { tracker, pass, transport, dropped } = createBench({ batch: { maxWaitMs: 0 } });
      let fail = (): void => {};
      transport.respond = isUnderWay
        ? () => new Promise((resolve) => (fail = () => resolve(failed(false))))
        : () => failed(false);
      tracker.identify('ada@example.com');
      track(tracker, 1, 2, 3);
      await pass(200);
      expect(tracker.stats().inFlight).toBe(3);
      const { sent } = tracker.stats().requests;
      tracker.setConsent('denied');
      fail();
      await pass(100);
      expect(tracker.stats()).toMatchObject({ pending: 0, journalBytes: 0 });
      expect(dropped).toEqual([{ reason: 'denied', count: 3 }]);
      transport.respond = () => answered(200);
      tracker.setConsent('granted');
      await pass(10 * 60_000);
      expect(tracker.stats().requests.sent).toBe(sent);
      expectBalance(tracker);
    }
  });

  it('that is denied lets a request under way meet its end', async () => {
    const { tracker, pass, transport } = createBench({ batch: { maxWaitMs: 0 } });
    let answer = (): void => {};
    transport.respond = () => new Promise((resolve) => (answer = () => resolve(answered(200))));
    tracker.identify('ada@example.com');
    track(tracker, 1);
    await pass(100);
    expect(tracker.stats().inFlight).toBe(1);
    tracker.setConsent('denied');
    await pass(100);
    answer();
    await pass(100);
    expect(tracker.stats()).toMatchObject({ delivered: 1, pending: 0 });
    expectBalance(tracker);
  });

  it('that is denied sends nothing of what was tracked just before, nor of what is found then', async () => {
    const { tracker, pass, transport } = createBench();
    tracker.identify('ada@example.com');
    track(tracker, 1, 2);
    await settle();
    for (let number = 0; number < 2_000; number += 1) track(tracker, number);
    const flushed = tracker.flush();
    tracker.setConsent('denied');
    await pass(60_000);
    expect(transport.requests).toEqual([]);
    expect(await flushed).toMatchObject({ delivered: 0, pending: 0 });
    expect(tracker.stats().dropped.denied).toBe(2_002);
    expectBalance(tracker);
  });

  it('that is denied drops the dead letters', async () => {
    const { tracker, pass, transport } = createBench({ batch: { maxWaitMs: 0 } });
    transport.respond = ({ text }) => answered(text.includes('"bad"') ? 422 : 200);
    const gone: TrackerEvents['deadLettersDropped'][] = [];
    tracker.on('deadLettersDropped', (detail) => gone.push(detail));
    tracker.identify('ada@example.com');
    tracker.track('bad');
    for (let number = 0; number < 50; number += 1) track(tracker, number);
    for (let second = 0; second < 30; second += 1) await pass(1_000);
    expect(tracker.stats().deadLetters.kept).toBe(1);
    tracker.setConsent('denied');
    await pass(100);
    expect(gone).toEqual([{ reason: 'denied', count: 1 }]);
    expect(tracker.stats().deadLetters.kept).toBe(0);
    expectBalance(tracker);
  });

  it('can be given again', async () => {
    const { tracker, pass, delivered } = createBench({ consent: 'denied' });
    tracker.identify('ada@example.com');
    track(tracker, 1);
    await pass(100);
    tracker.setConsent('pending');
    track(tracker, 2);
    await pass(100);
    tracker.setConsent('granted');
    track(tracker, 3);
    await pass(5_000);
    expect(delivered().map(([, number]) => number)).toEqual([2, 3]);
    expectBalance(tracker);
  });

  it('that is pending does not hold up flush() or close(), and durable() says why not', async () => {
    const { tracker, pass, transport } = createBench({ consent: 'pending' });
    transport.respond = hang;
    track(tracker, 1);
    await expect(tracker.durable()).rejects.toThrow();
    const flushed = tracker.flush();
    await pass(100);
    expect(await flushed).toMatchObject({ pending: 1 });
    const closed = tracker.close();
    await pass(100);
    expect(await closed).toMatchObject({ dropped: 1, pending: 0 });
    expectBalance(tracker);
  });

  it('is one of three words', () => {
    const { tracker } = createBench();
    const give = (consent: unknown) => () => Reflect.apply(tracker.setConsent, tracker, [consent]);
    expect(give('yes')).toThrow('consent must be "pending", "granted" or "denied"');
    expect(give(undefined)).toThrow('consent must be');
  });
});

describe('a tracker without a key', () => {
  it('sends no Authorization: a relay adds its own', async () => {
    const { tracker, pass, transport } = createBench();
    tracker.identify('ada@example.com');
    track(tracker, 1);
    await pass(5_000);
    const [request] = transport.requests;
    expect(Object.keys(request?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain(
      'authorization',
    );
    expect(tracker.stats().delivered).toBe(1);
  });
});
