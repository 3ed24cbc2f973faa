import { describe, expect, it } from 'vitest';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { answered } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('an event that the service refuses', () => {
  it.each([400, 422, 409, 418, 501])(
    'is found among 500 in few requests, and each other event is delivered once: %d',
    async (status) => {
      const bench = new Bench();
      bench.refuse((n) => n === 321, status);
      await bench.track(500);
      await bench.pass(2 * MINUTE);
      expect(await bench.kept()).toEqual([321]);
      expect(bench.tracker.stats()).toMatchObject({ delivered: 499, deadLettered: 1, pending: 0 });
      expect(sorted(bench.taken)).toEqual(range(0, 500).filter((n) => n !== 321));
      // At most two for each halving of 500, one more for all of them, and a few for the event itself.
      expect(bench.requests).toBeLessThanOrEqual(2 * 9 + 1 + 8);
      expect(bench.deadLetters).toEqual([{ count: 1, status, excerpt: '' }]);
      expect(bench.tracker.stats()).toMatchObject({ breaker: 'closed', journalBytes: 0 });
    },
  );

  it('is found after each nine that are delivered, where events come one by one', async () => {
    const bench = new Bench();
    bench.refuse((n) => n % 10 === 9);
    for (let round = 0; round < 209; round += 1) {
      await bench.track(1);
      await bench.pass(SECOND, 100);
    }
    await bench.pass(HOUR);
    expect(sorted(await bench.kept())).toEqual(range(0, 209).filter((n) => n % 10 === 9));
    expect(bench.tracker.stats()).toMatchObject({ delivered: 189, deadLettered: 20 });
  });

  it('becomes a dead letter with the words of the service, once others are accepted', async () => {
    const bench = new Bench();
    const excerpt = '{"error":"no such email"}';
    bench.answer((numbers) => (numbers.includes(0) ? answered(422, { body: excerpt }) : 200));
    await bench.track(1);
    await bench.pass(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ deadLettered: 0, pending: 1 });
    for (let round = 0; round < 20; round += 1) await bench.track(1);
    await bench.pass(3 * MINUTE);
    expect(bench.transport.requests[0]?.text).toBe(bench.transport.requests[1]?.text);
    const letters = [];
    for await (const letter of bench.tracker.deadLetters.list()) letters.push(letter);
    expect(letters).toMatchObject([{ status: 422, excerpt, event: { payload: { n: 0 } } }]);
    expect(bench.deadLetters).toEqual([{ count: 1, status: 422, excerpt }]);
  });

  it('is delivered where it is refused only once', async () => {
    const bench = new Bench();
    bench.answer(() => (bench.requests === 1 ? 400 : 200));
    await bench.track(1);
    await bench.pass(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, deadLettered: 0 });
  });

  it('becomes a dead letter though requests failed in between, and though each refusal has another status', async () => {
    const bench = new Bench();
    const statuses = [400, 422, 409, 503, 418, 417, 416, 415, 414, 412, 500];
    bench.answer((numbers) =>
      numbers.includes(20) ? (statuses[bench.requests % statuses.length] ?? 400) : 200,
    );
    for (let round = 0; round < 40; round += 1) {
      await bench.track(1);
      await bench.pass(SECOND);
    }
    await bench.pass(MINUTE);
    expect(await bench.kept()).toEqual([20]);
  });
});

describe('a service that refuses all events', () => {
  it.each([
    { maxConcurrency: 1, maxEvents: 500, count: 500 },
    { maxConcurrency: 4, maxEvents: 50, count: 1_000 },
  ])('makes no dead letter, and gets all events once it accepts them: %j', async (given) => {
    const { count, maxEvents, maxConcurrency } = given;
    const bench = new Bench({ maxEvents, delivery: { maxConcurrency } });
    bench.answer(() => 400);
    await bench.track(count);
    await bench.pass(30 * MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, pause: { reason: 'refused', status: 400 } });
    expect(bench.tracker.stats().deadLettered).toBe(0);
    expect(bench.requests).toBeLessThanOrEqual(350);
    bench.answer(() => 200);
    await bench.pass(20 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, count));
    expect(bench.tracker.stats().pending).toBe(0);
  });

  it('gets all other events also after hours', async () => {
    const bench = new Bench({ maxEvents: 20, delivery: { maxConcurrency: 4 } });
    bench.answer(() => 400);
    await bench.track(200);
    await bench.pass(3 * HOUR, MINUTE);
    bench.answer(() => 200);
    await bench.pass(HOUR, MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 200));
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
