import { describe, expect, it } from 'vitest';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { answered } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('an event that the service refuses', () => {
  it.each([400, 422, 409, 402, 418, 501])(
    'is found among 500 in few requests, and each other event is delivered once: %d',
    async (status) => {
      const bench = new Bench();
      bench.refuse((n) => n === 321, status);
      await bench.track(500);
      // Unusual statuses take some time.
      expect(await bench.kept()).toEqual([402, 418, 501].includes(status) ? [] : [321]);
      await bench.pass(2 * MINUTE);
      expect(await bench.kept()).toEqual([321]);
      expect(bench.tracker.stats()).toMatchObject({ delivered: 499, deadLettered: 1, pending: 0 });
      expect(sorted(bench.taken)).toEqual(range(0, 500).filter((n) => n !== 321));
      // At most two for each halving of 500, and two for the event itself.
      expect(bench.requests).toBeLessThanOrEqual(2 * 9 + 2);
      expect(bench.deadLetters).toEqual([{ count: 1, status, excerpt: '' }]);
      expect(bench.tracker.stats()).toMatchObject({ breaker: 'closed', journalBytes: 0 });
    },
  );

  it('is found after each nine that are delivered, where events come one by one', async () => {
    const bench = new Bench();
    bench.refuse((n) => n % 10 === 9);
    for (let round = 0; round < 200; round += 1) await bench.track(1);
    await bench.pass(HOUR);
    expect(await bench.kept()).toEqual(range(0, 200).filter((n) => n % 10 === 9));
    expect(bench.tracker.stats()).toMatchObject({ delivered: 180, deadLettered: 20 });
  });

  it('becomes a dead letter with the words of the service, once it is refused twice', async () => {
    const bench = new Bench();
    const excerpt = '{"error":"no such email"}';
    bench.answer(() => answered(422, { body: excerpt }));
    await bench.track(1);
    expect(bench.requests).toBe(2);
    expect(bench.transport.requests[0]?.text).toBe(bench.transport.requests[1]?.text);
    const letters = [];
    for await (const letter of bench.tracker.deadLetters.list()) letters.push(letter);
    expect(letters).toMatchObject([{ status: 422, excerpt, event: { payload: { n: 0 } } }]);
    expect(bench.deadLetters).toEqual([{ count: 1, status: 422, excerpt }]);
    expect(bench.attemptsFailed.map(({ error }) => [error.status, error.retryable])).toEqual([
      [422, false],
      [422, false],
    ]);
  });

  it('is delivered where it is refused only once', async () => {
    const bench = new Bench();
    bench.answer(() => (bench.requests === 1 ? 400 : 200));
    await bench.track(1);
    await bench.pass(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, deadLettered: 0 });
  });

  it('becomes a dead letter with its second refusal, though a request failed in between', async () => {
    const bench = new Bench();
    const statuses = [400, 503, 400];
    bench.answer(() => statuses.shift() ?? 200);
    await bench.track(1);
    await bench.pass(10 * SECOND);
    expect(await bench.kept()).toEqual([0]);
    expect(bench.requests).toBe(3);
  });

  it('becomes a dead letter after few requests, though each refusal has another status', async () => {
    const bench = new Bench();
    const statuses = [400, 422, 409, 402, 418, 417, 416, 415, 414, 412];
    bench.answer(() => statuses.shift() ?? 200);
    await bench.track(1);
    await bench.pass(10 * MINUTE);
    expect(await bench.kept()).toEqual([0]);
    expect(bench.requests).toBeLessThan(10);
  });
});

describe('a service that refuses all events', () => {
  it.each([
    { concurrency: 1, maxEvents: 500, count: 500 },
    { concurrency: 4, maxEvents: 50, count: 1_000 },
  ])('makes few dead letters, and gets all other events once it accepts them: %j', async (given) => {
    const { count, maxEvents, concurrency } = given;
    const bench = new Bench({ maxEvents, delivery: { concurrency } });
    bench.answer(() => 400);
    await bench.track(count);
    await bench.pass(30 * MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, pause: { reason: 'refused', status: 400 } });
    expect(bench.tracker.stats().deadLettered).toBeLessThanOrEqual(10);
    expect(bench.requests).toBeLessThanOrEqual(150);
    const kept = await bench.kept();
    bench.answer(() => 200);
    await bench.pass(20 * MINUTE);
    expect(sorted([...bench.taken, ...kept])).toEqual(range(0, count));
    expect(bench.tracker.stats().pending).toBe(0);
  });

  it('gets all other events also after hours', async () => {
    const bench = new Bench({ maxEvents: 20, delivery: { concurrency: 4 } });
    bench.answer(() => 400);
    await bench.track(200);
    await bench.pass(3 * HOUR, MINUTE);
    const kept = await bench.kept();
    bench.answer(() => 200);
    await bench.pass(HOUR, MINUTE);
    expect(sorted([...bench.taken, ...kept])).toEqual(range(0, 200));
    expect(bench.tracker.stats().pending).toBe(0);
  });

  it('gets later events in the end, where only the first batch is bad', async () => {
    const bench = new Bench({ maxEvents: 50 });
    bench.refuse((n) => n < 50);
    await bench.track(1_000);
    await bench.pass(4 * HOUR, MINUTE);
    expect(sorted(bench.taken)).toEqual(range(50, 1_000));
  });
});
