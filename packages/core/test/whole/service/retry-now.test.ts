import { describe, expect, it } from 'vitest';
import { Bench, range, sorted, watch } from '../../bench/bench.ts';
import { answered } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

describe('retryNow()', () => {
  it.each([
    ['a pause', () => answered(401)],
    ['the wait that the service asked for', () => answered(503, { retryAfter: '3600' })],
    ['the wait of an open breaker', () => answered(500)],
  ])('ends %s: one request is made at once, and all others when it succeeds', async (_, respond) => {
    const bench = new Bench({ maxEvents: 10 });
    bench.answer(respond);
    await bench.track(100);
    await bench.pass(HOUR / 2);
    expect(bench.tracker.stats().breaker).toBe('open');
    const before = bench.requests;
    bench.tracker.retryNow();
    await bench.quiet();
    expect(bench.requests).toBe(before + 1);
    // It failed: the pause goes on.
    expect(bench.tracker.stats()).toMatchObject({
      breaker: 'open',
      pause: { since: bench.pauses[0]?.since },
    });
    bench.answer(() => 200);
    bench.tracker.retryNow();
    await bench.pass(SECOND, 100);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
    expect(bench.tracker.stats()).toMatchObject({ breaker: 'closed', pause: undefined, pending: 0 });
  });

  it('ends the waits of events that failed, while others are accepted', async () => {
    const bench = new Bench({ maxEvents: 1, delivery: { retryBaseMs: HOUR, retryMaxMs: HOUR } });
    await bench.track(20);
    bench.refuse((n) => n === 20, 500);
    await bench.track(1);
    bench.answer(() => 200);
    expect(bench.taken).not.toContain(20);
    bench.tracker.retryNow();
    await bench.quiet();
    expect(bench.taken).toContain(20);
  });

  it('ends the waits of suspects', async () => {
    const bench = new Bench({ maxEvents: 1, random: () => 1 });
    await bench.track(50);
    bench.refuse((n) => n === 50, 500);
    for (let second = 0; second < 60; second += 1) {
      await bench.track(1);
      await bench.pass(SECOND, 100);
    }
    const [suspect] = bench.tracker.stats().suspects;
    expect(suspect).toMatchObject({ status: 500, event: expect.stringContaining('"n":50') });
    expect(bench.tracker.stats().pending).toBe(1);
    bench.answer(() => 200);
    bench.tracker.retryNow();
    await bench.quiet();
    expect(bench.taken).toContain(50);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, suspects: [] });
  });

  it('makes no request while consent is denied, nor with nothing to send', async () => {
    const bench = new Bench();
    bench.tracker.retryNow();
    await bench.quiet();
    bench.answer(() => 401);
    await bench.track(3);
    bench.tracker.setConsent('denied');
    const before = bench.requests;
    await bench.track(3);
    bench.tracker.retryNow();
    await bench.pass(HOUR);
    expect(bench.requests).toBe(before);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, dropped: { denied: 6 } });
    bench.answer(() => 200);
    bench.tracker.setConsent('granted');
    await bench.track(3);
    await bench.pass(HOUR);
    expect(bench.taken).toHaveLength(3);
  });

  it('does nothing after close()', async () => {
    const bench = new Bench();
    bench.answer(() => 401);
    await bench.track(3);
    const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
    await bench.pass(1);
    expect(closed.isOver).toBe(true);
    const before = bench.requests;
    bench.tracker.retryNow();
    bench.tracker.setApiKey('another');
    await bench.pass(HOUR);
    expect(bench.requests).toBe(before);
    expect(bench.clock.timers).toBe(0);
    expect(bench.storageFailures).toEqual([]);
  });
});
