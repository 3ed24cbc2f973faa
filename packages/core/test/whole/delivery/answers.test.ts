import { describe, expect, it } from 'vitest';
import { createTracker } from '../../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { answered, ScriptedTransport } from '../../bench/scripted-transport.ts';

const HOUR = 60 * 60_000;
const ada = { correlationValue: 'ada@example.com' };

describe('a request', () => {
  it('goes to the service with the key and the time limits, and carries all waiting events', async () => {
    const bench = new Bench();
    await bench.track(3);
    expect(bench.transport.requests).toMatchObject([
      {
        url: 'http://service.example/api/events/batch/',
        headers: { authorization: 'Api-Key key', 'content-type': 'application/json' },
        timeouts: { connectMs: 10_000, headersMs: 30_000, bodyMs: 5_000, totalMs: 60_000 },
      },
    ]);
    expect(bench.taken).toEqual([0, 1, 2]);
  });

  it('carries no key where a relay holds it', async () => {
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock);
    const tracker = createTracker({
      ...{ baseUrl: 'http://relay.example', correlationKey: 'email', journal: 'memory', clock, transport },
      commitIntervalMs: 0,
    });
    tracker.track('event', {}, ada);
    await clock.advance(1_000);
    expect(transport.requests[0]?.headers).toEqual({ 'content-type': 'application/json' });
    expect(tracker.stats().delivered).toBe(1);
  });

  it('is not made where nothing was tracked', async () => {
    const bench = new Bench();
    expect(await bench.tracker.flush()).toMatchObject({ delivered: 0, pending: 0 });
    await bench.pass(HOUR);
    expect(bench.requests).toBe(0);
    expect(bench.clock.timers).toBe(0);
  });

  it.each([1, 2, 4])(
    'is one of at most %d at the same time, until all events are sent',
    async (concurrency) => {
      const bench = new Bench({ maxEvents: 10, delivery: { maxConcurrency: concurrency } });
      const answers: (() => void)[] = [];
      bench.answer(() => new Promise<Outcome>((resolve) => void answers.push(() => resolve(answered(200)))));
      await bench.track(200);
      expect(bench.transport.open).toBe(concurrency);
      while (answers.length > 0) {
        answers.shift()?.();
        await bench.quiet();
      }
      expect(bench.transport.mostOpen).toBe(concurrency);
      expect(bench.requests).toBe(20);
      expect(bench.tracker.stats()).toMatchObject({ delivered: 200, pending: 0 });
    },
  );

  it('is made for each event, whatever the tracker does at the moment of tracking', async () => {
    for (let turns = 0; turns < 60; turns += 1) {
      const bench = new Bench({ maxEvents: 1, delivery: { maxConcurrency: 2 } });
      bench.answer(() => new Promise<Outcome>(() => {}));
      bench.trackNow(1, { priority: 'high' });
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      bench.trackNow(1, { priority: 'high' });
      await bench.quiet();
      expect(bench.requests, `after ${turns} turns`).toBe(2);
    }
  });
});

describe('an answer of success', () => {
  it.each([
    [200, ''],
    [200, '{"ok":true}'],
    [201, 'not json'],
    [202, '{"cut sho'],
    [204, ''],
    [299, '\0'],
  ])('delivers and releases the events, whatever its body: %d %j', async (status, body) => {
    const bench = new Bench();
    const delivered: number[] = [];
    bench.tracker.on('delivered', ({ count }) => delivered.push(count));
    bench.answer(() => answered(status, { body }));
    await bench.track(3);
    expect(delivered).toEqual([3]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, pending: 0, memoryBytes: 0 });
    expect(bench.attemptsFailed).toEqual([]);
    expect(bench.clock.timers).toBe(0);
  });
});

describe('the counts of a tracker', () => {
  it('add up whenever a listener looks, and when flush() resolves', async () => {
    const bench = new Bench({ maxEvents: 4, delivery: { maxConcurrency: 2 } });
    let looks = 0;
    for (const name of ['delivered', 'deadLettered', 'requestFailed'] as const) {
      bench.tracker.on(name, () => {
        looks += 1;
        bench.check();
      });
    }
    bench.refuse((n) => n % 7 === 0);
    bench.trackNow(20);
    const flushed = bench.tracker.flush().then((report) => {
      bench.check();
      return report;
    });
    await bench.pass(20_000);
    expect(await flushed).toEqual({ delivered: 17, deadLettered: 3, dropped: 0, pending: 0 });
    expect(sorted(await bench.kept())).toEqual(range(0, 3).map((index) => index * 7));
    expect(looks).toBeGreaterThan(17 / 4 + 3);
    // A listener that throws is a hook that failed.
    expect(bench.callbacksFailed).toEqual([]);
  });
});
