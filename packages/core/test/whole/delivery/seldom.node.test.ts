import { describe, expect, it } from 'vitest';
import { Bench } from '../../bench/bench.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Good events come so often, one at a time, until all but these bad ones are over. */
async function live(bench: Bench, everyMs: number, hours: number): Promise<void> {
  for (let ms = 0; ms < hours * HOUR; ms += everyMs) {
    await bench.pass(everyMs, MINUTE / 4);
    await bench.track(1);
  }
  await bench.pass(5 * MINUTE);
}

describe('among events that come seldom, one after the other', () => {
  // Each acceptance ends a pause, and the next failure of the event at fault begins another.
  it.each([1, 4])(
    '%d that make the service fail are suspects, and hold up the others no longer',
    async (bad) => {
      const bench = new Bench({ maxEvents: 50, delivery: { maxConcurrency: 8 } });
      await bench.track(100);
      bench.answer((numbers) => (numbers.some((n) => n >= 100 && n < 100 + bad) ? 500 : 200));
      await bench.track(bad);
      await live(bench, 10 * MINUTE, 4);
      const { breaker, pending, suspects } = bench.tracker.stats();
      expect({ breaker, pending, suspects: suspects.length }).toEqual({
        breaker: 'closed',
        pending: bad,
        suspects: bad,
      });
    },
  );

  it.each([
    [12, 422],
    [5, 403],
  ])('%d that the service refuses with %d are dead letters soon', async (bad, status) => {
    const bench = new Bench({ maxEvents: 50, delivery: { maxConcurrency: 8 } });
    await bench.track(100);
    bench.refuse((n) => n >= 100 && n < 100 + bad, status);
    await bench.track(bad);
    await live(bench, 10 * MINUTE, 4);
    expect(bench.tracker.stats()).toMatchObject({ breaker: 'closed', pending: 0, deadLettered: bad });
  });
});

it('events that make the service fail are found, though each request has one and nothing else waits', async () => {
  const bench = new Bench({ maxEvents: 50, delivery: { maxConcurrency: 8 } });
  await bench.track(20);
  bench.answer((numbers) => (numbers.some((n) => n % 50 === 45) ? 500 : 200));
  await bench.track(100);
  await bench.pass(3 * HOUR, MINUTE / 4);
  const { delivered, suspects } = bench.tracker.stats();
  expect({ delivered, suspects: suspects.length }).toEqual({ delivered: 118, suspects: 2 });
});

it('a backlog goes on, though one of each batch makes the service fail and nothing else comes', async () => {
  const bench = new Bench({ maxEvents: 50, delivery: { maxConcurrency: 8 } });
  bench.answer((numbers) => (numbers.some((n) => n % 50 === 45) ? 500 : 200));
  await bench.track(2_000);
  await bench.pass(HOUR, MINUTE / 4);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 1_960, pending: 40 });
});

describe('where order is strict', () => {
  it('an event that makes the service fail goes at most about once a minute, though what was sent with it was accepted', async () => {
    const bench = new Bench({ ordering: 'strict', maxEvents: 100 });
    bench.answer((numbers) => (numbers.includes(50) ? 500 : 200));
    await bench.track(100);
    await bench.pass(10 * MINUTE);
    const before = bench.requests;
    await bench.pass(HOUR, MINUTE / 4);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 50, pending: 50 });
    expect(bench.requests - before).toBeLessThanOrEqual(60);
  });

  it('an event that is refused ends in minutes, however long the service was away before', async () => {
    const bench = new Bench({ ordering: 'strict', maxEvents: 1 });
    await bench.track(20);
    bench.answer(() => 500);
    await bench.track(2);
    await bench.pass(HOUR, MINUTE / 4);
    bench.refuse((n) => n === 22, 422);
    await bench.track(3);
    await bench.pass(2 * MINUTE);
    await bench.pass(2 * MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 24, deadLettered: 1 });
  });

  it('two in a row that are refused hold up nothing for ever where `maxTries` says so', async () => {
    const bench = new Bench({ ordering: 'strict', maxEvents: 1, delivery: { maxTries: 3 } });
    await bench.track(20);
    bench.refuse((n) => n === 20 || n === 21, 422);
    await bench.track(22);
    await bench.pass(2 * HOUR, MINUTE / 4);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 40, deadLettered: 2 });
  });
});

it('events that a bad deploy refused become no dead letters with one more refusal after it', async () => {
  const bench = new Bench({ maxEvents: 50, delivery: { maxConcurrency: 8 } });
  await bench.track(100);
  bench.answer(() => 500);
  await bench.track(1);
  await bench.pass(5 * MINUTE, MINUTE / 4);
  bench.answer(() => 200);
  await bench.pass(5 * MINUTE, MINUTE / 4);
  bench.answer(() => 400);
  for (let count = 0; count < 10; count += 1) {
    await bench.track(1);
    await bench.pass(3_000, 100);
  }
  expect(bench.tracker.stats()).toMatchObject({ breaker: 'open', pending: 10 });
  // One of the service's machines is not mended yet.
  const answers = [200, 400, 400, 400];
  bench.answer(() => answers.shift() ?? 200);
  await bench.track(1);
  await bench.pass(5 * MINUTE, 1_000);
  expect(bench.deadLetters).toEqual([]);
  expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 112 });
});
