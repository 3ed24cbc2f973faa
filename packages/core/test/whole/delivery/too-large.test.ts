import { describe, expect, it } from 'vitest';
import { Bench, numbersOf, range, sorted } from '../../bench/bench.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How many requests had this event alone. */
function alone({ transport }: Bench, n: number): number {
  return transport.requests.filter((request) => numbersOf(request).join() === String(n)).length;
}

describe('a batch that is too large for the service', () => {
  it('is sent in parts, each event once', async () => {
    const bench = new Bench();
    bench.answer((numbers) => (numbers.length > 100 ? 413 : 200));
    await bench.track(500);
    expect(sorted(bench.taken)).toEqual(range(0, 500));
    expect(bench.requests).toBeLessThanOrEqual(3 + 13);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 500, deadLettered: 0 });
    expect(bench.states).toEqual([]);
  });
});

describe('an event that is too large for the service', () => {
  it('becomes a dead letter with its second refusal', async () => {
    const bench = new Bench();
    bench.answer((_, { body }) => (body.length > 2_000 ? 413 : 200));
    for (const n of range(0, 4)) {
      const payload = { n, pad: n === 2 ? 'x'.repeat(3_000) : '' };
      bench.tracker.track('event', payload, { correlationValue: 'ada@example.com' });
    }
    await bench.pass(10 * SECOND);
    expect(await bench.kept()).toEqual([2]);
    expect(alone(bench, 2)).toBe(2);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, deadLettered: 1 });
  });

  it('becomes a dead letter where the rest of its batch was accepted, and nothing newer', async () => {
    const bench = new Bench({ delivery: { maxConcurrency: 4 } });
    bench.refuse((n) => n === 2, 413);
    await bench.track(4);
    await bench.pass(MINUTE);
    expect(await bench.kept()).toEqual([2]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, deadLettered: 1 });
  });

  it('is no dead letter as long as the service refuses all as too large', async () => {
    const bench = new Bench();
    bench.answer(() => 413);
    await bench.track(4);
    await bench.pass(HOUR, 20 * SECOND);
    expect(bench.tracker.stats()).toMatchObject({ pending: 4, deadLettered: 0 });
    bench.answer(() => 200);
    await bench.pass(HOUR, 20 * SECOND);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 4, deadLettered: 0 });
  });

  it('becomes a dead letter after a few refusals, where the service accepted larger bodies', async () => {
    const bench = new Bench();
    await bench.track(3);
    bench.refuse((n) => n === 3, 413);
    for (let round = 0; round < 30; round += 1) {
      await bench.track(1);
      await bench.pass(SECOND, 100);
    }
    expect(await bench.kept()).toEqual([3]);
    expect(alone(bench, 3)).toBeGreaterThan(2);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 32, deadLettered: 1 });
  });

  it('is one of several that all become dead letters', async () => {
    const bench = new Bench();
    bench.refuse((n) => n < 6, 413);
    await bench.track(30);
    for (let minute = 0; minute < 60; minute += 1) {
      await bench.track(1);
      await bench.pass(HOUR / 60, 10 * SECOND);
    }
    expect(sorted(await bench.kept())).toEqual(range(0, 6));
    expect(sorted(bench.taken)).toEqual(range(6, 90));
  });
});
