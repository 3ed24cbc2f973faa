import { expect, it } from 'vitest';
import { Bench } from '../../bench/bench.ts';

it.each([
  ...[1, 2, 3].map((failures) => ({ failures, bad: [3, 71] })),
  ...[1, 2].map((failures) => ({ failures, bad: [17, 52, 55, 88] })),
])(
  'takes wrong events for no limit of their number, where a young process has seen chance: $failures failures, events $bad',
  async ({ failures, bad }) => {
    const bench = new Bench({ maxEvents: 100, delivery: { maxConcurrency: 8 } });
    await bench.track(300);
    let left = failures;
    bench.answer(() => {
      left -= 1;
      return left < 0 ? 200 : 500;
    });
    await bench.track(100);
    await bench.pass(10_000);
    const start = bench.taken.length;
    const lowest: number[] = [];
    bench.tracker.on('bodyLimit', ({ events = 100 }) => lowest.push(events));
    bench.answer((numbers) => (numbers.some((number) => bad.includes(number - start)) ? 400 : 200));
    const before = bench.requests;
    await bench.track(100);
    for (let second = 0; second < 60; second += 1) {
      await bench.pass(1_000, 250);
      await bench.track(100);
    }
    await bench.pass(2_000, 250);
    expect(Math.min(100, ...lowest)).toBeGreaterThanOrEqual(25);
    expect(bench.requests - before).toBeLessThan(200);
  },
);

it.each([400, 413])(
  'with strict order, makes at most one dead letter where the service refuses all from one moment on: %d',
  async (status) => {
    const bench = new Bench({ maxEvents: 100, ordering: 'strict' });
    await bench.track(20);
    await bench.pass(2_000, 250);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 20 });
    bench.answer(() => status);
    await bench.track(100);
    await bench.pass(30 * 60_000, 1_000);
    expect(bench.tracker.stats().deadLettered).toBeLessThanOrEqual(1);
  },
);
