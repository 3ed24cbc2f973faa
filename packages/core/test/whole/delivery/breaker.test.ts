import { describe, expect, it } from 'vitest';
import { Bench, range, sorted } from '../../bench/bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('the breaker', () => {
  it('opens after five failures in a row and three probes that fail, and lets one request pass at a time from then on', async () => {
    const bench = new Bench({ random: () => 1, maxEvents: 1, delivery: { maxConcurrency: 4 } });
    bench.answer(() => 500);
    await bench.track(20);
    // The fifth failure may come while three other requests are pending, and three probes fail.
    expect(bench.requests).toBeGreaterThanOrEqual(5 + 3);
    expect(bench.requests).toBeLessThanOrEqual(5 + 3 + 3);
    expect(bench.states).toEqual(['half-open', 'open']);
    const before = bench.requests;
    await bench.pass(30 * MINUTE, 10 * SECOND);
    const probes = bench.times.slice(before);
    expect(probes.length).toBeGreaterThan(20);
    expect(new Set(probes).size).toBe(probes.length);
  });

  it('closes with the first success, and all waiting events are sent', async () => {
    const bench = new Bench({ maxEvents: 1, delivery: { maxConcurrency: 4 } });
    bench.answer(() => 503);
    await bench.track(20);
    await bench.pass(MINUTE);
    expect(bench.tracker.stats().breaker).not.toBe('closed');
    bench.answer(() => 200);
    await bench.pass(2 * MINUTE);
    expect(bench.states.slice(-2)).toEqual(['half-open', 'closed']);
    expect(sorted(bench.taken)).toEqual(range(0, 20));
    expect(bench.clock.timers).toBe(0);
  });

  it('sends what failed with it in as few requests, once the service is back', async () => {
    const bench = new Bench();
    bench.answer(() => 500);
    await bench.track(100);
    while (bench.requests < 12) await bench.pass(SECOND);
    bench.answer(() => 200);
    await bench.pass(2 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
    // The batch may be in two halves: it failed more often than by chance, before it was clear that all fails.
    expect(bench.requests).toBeLessThanOrEqual(12 + 2);
  });

  it('leaves events where they are while it is open, except those of one probe', async () => {
    const bench = new Bench({ maxEvents: 10, delivery: { maxConcurrency: 4 } });
    bench.answer(() => 401);
    await bench.track(10);
    await bench.track(1_000);
    await bench.pass(30 * MINUTE);
    // The first batch, which was sent when no other events waited, and the batch of the current probe.
    expect(bench.tracker.stats().inFlight).toBeLessThanOrEqual(20);
    expect(bench.tracker.stats().pending).toBe(1_010);
  });

  it('does not open where a success comes after each four failures', async () => {
    const bench = new Bench();
    bench.answer(() => (bench.requests % 5 === 0 ? 200 : 500));
    for (let count = 0; count < 3; count += 1) {
      await bench.track(1);
      await bench.pass(10 * SECOND);
    }
    expect(bench.tracker.stats().delivered).toBe(3);
    expect(bench.states).toEqual([]);
  });
});

it('what was a probe in a long outage goes with the others once it is over', async () => {
  const bench = new Bench({ maxEvents: 100 });
  bench.answer(() => 503);
  await bench.track(50);
  for (let minute = 0; minute < 120; minute += 1) {
    await bench.track(1);
    await bench.pass(60_000);
  }
  const probes = bench.requests;
  bench.answer(() => 200);
  await bench.pass(600_000);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 170, pending: 0 });
  // The first one is a probe, and then one batch may begin before another ends.
  expect(bench.requests - probes).toBeLessThan(8);
});
