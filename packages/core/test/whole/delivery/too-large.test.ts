import { describe, expect, it } from 'vitest';
import { Bench, numbersOf, range, sorted } from '../../bench/bench.ts';

const HOUR = 60 * 60_000;

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
    expect(bench.requests).toBe(3 + 8);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 500, deadLettered: 0 });
    expect(bench.states).toEqual([]);
  });
});

describe('an event that is too large for the service', () => {
  it('becomes a dead letter with its first refusal', async () => {
    const bench = new Bench();
    bench.answer((_, { body }) => (body.length > 2_000 ? 413 : 200));
    for (const n of range(0, 4)) {
      const payload = { n, pad: n === 2 ? 'x'.repeat(3_000) : '' };
      bench.tracker.track('event', payload, { correlationValue: 'ada@example.com' });
    }
    await bench.pass(1);
    expect(await bench.kept()).toEqual([2]);
    expect(alone(bench, 2)).toBe(1);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, deadLettered: 1 });
  });

  it('becomes a dead letter with its second refusal, where the service accepted larger bodies', async () => {
    const bench = new Bench();
    await bench.track(3);
    bench.refuse((n) => n === 3, 413);
    await bench.track(1);
    expect(await bench.kept()).toEqual([3]);
    expect(alone(bench, 3)).toBe(2);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, deadLettered: 1 });
  });

  it('is one of many that all become dead letters: the service is not to blame', async () => {
    const bench = new Bench();
    bench.refuse((n) => n < 15, 413);
    await bench.track(30);
    await bench.pass(HOUR);
    expect(sorted(await bench.kept())).toEqual(range(0, 15));
    expect(sorted(bench.taken)).toEqual(range(15, 30));
  });
});
