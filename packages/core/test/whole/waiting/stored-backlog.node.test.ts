import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import {
  Bench,
  type BenchOptions,
  numbersOf,
  range,
  sorted,
  textNumbers,
  textsOf,
  watch,
} from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const WAIT_MS = 1_000;
const MINUTE = 60_000;
/** Numbers of events of an earlier process: from here on. */
const OLD = 1_000;

/** A tracker with so many events of an earlier process. New events wait a second for others. */
async function createBench(
  count: number,
  options: BenchOptions = {},
): Promise<{ bench: Bench; journal: FakeJournal }> {
  const journal = new FakeJournal();
  if (count > 0) await journal.leave(textsOf(range(OLD, OLD + count)));
  const bench = new Bench({
    ...{ journal, maxEvents: 2 },
    ...options,
    batch: { maxWaitMs: WAIT_MS, ...options.batch },
  });
  return { bench, journal };
}

/** The numbers of the events in each request. */
function batchesOf({ transport }: Bench): number[][] {
  return transport.requests.map(numbersOf);
}

/** The indexes of the events that a journal has released, each as often as it was. */
function released({ acknowledged }: FakeJournal): number[] {
  return sorted(acknowledged.flatMap(({ from, to }) => range(from, to)));
}

describe('events of an earlier process', () => {
  it('are sent at once, as many in a request as may be', async () => {
    const { bench } = await createBench(5, { maxEvents: 3 });
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([range(OLD, OLD + 3), range(OLD + 3, OLD + 5)]);
    expect(bench.transport.times).toEqual([0, 0]);
    expect(bench.clock.timers).toBe(0);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 0, recovered: 5, delivered: 5 });
  });

  it('are released once they are delivered, each once and no others', async () => {
    const { bench, journal } = await createBench(5, { maxEvents: 3 });
    let finish = (): void => {};
    bench.answer(() => {
      if (bench.requests === 1) return 200;
      return new Promise((resolve) => {
        finish = () => resolve(answered(200));
      });
    });
    await bench.pass(1);
    expect(released(journal)).toEqual(range(0, 3));
    finish();
    await bench.quiet();
    expect(released(journal)).toEqual(range(0, 5));
    expect(journal.bytes).toBe(0);
  });

  it('take turns with new ones if both are due', async () => {
    const { bench } = await createBench(9);
    let goOn = (): void => {};
    const isOn = new Promise<Outcome>((resolve) => {
      goOn = () => resolve(answered(200));
    });
    bench.answer(() => isOn);
    bench.trackNow(8);
    await bench.pass(WAIT_MS);
    expect(bench.requests).toBe(1);
    goOn();
    await bench.pass(1);
    const isOld = batchesOf(bench).map(([first = 0]) => first >= OLD);
    const firstIsOld = isOld[0] ?? false;
    const inTurns = range(0, 8).map((index) => (index % 2 === 0) === firstIsOld);
    expect(isOld.slice(0, 8)).toEqual(inTurns);
    expect(sorted(bench.taken)).toEqual([...range(0, 8), ...range(OLD, OLD + 9)]);
  });

  it('do not wait for new ones that are not due', async () => {
    const { bench } = await createBench(3);
    bench.trackNow(1);
    await bench.pass(WAIT_MS - 1);
    expect(batchesOf(bench)).toEqual([[OLD, OLD + 1], [OLD + 2]]);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[OLD, OLD + 1], [OLD + 2], [0]]);
  });

  it('are all sent if the journal finds more of them while it reads some', async () => {
    const { bench, journal } = await createBench(3);
    const release = journal.hangReads();
    await bench.pass(1);
    await journal.leave(textsOf([OLD + 3]));
    await bench.pass(1);
    expect(bench.requests).toBe(0);
    release();
    await bench.pass(1);
    expect(bench.taken).toEqual(range(OLD, OLD + 4));
    expect(bench.tracker.stats()).toMatchObject({ recovered: 4, delivered: 4, pending: 0 });
  });

  it('are not sent if another process has sent them while they were read; those behind them are', async () => {
    const { bench, journal } = await createBench(0);
    await bench.quiet();
    const release = journal.hangReads();
    const gone = await journal.leave(textsOf([OLD, OLD + 1]));
    await bench.pass(1);
    await journal.leave(textsOf([OLD + 2, OLD + 3]));
    journal.observer?.settled?.(gone, 'delivered');
    release();
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[OLD + 2, OLD + 3]]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 4, pending: 0 });
    expect(released(journal)).toEqual([2, 3]);
  });

  it('are used one at a time to ask a service that fails', async () => {
    const { bench } = await createBench(2_000, { maxEvents: 50, delivery: { maxConcurrency: 2 } });
    bench.answer(() => failed(false));
    await bench.pass(5 * MINUTE);
    expect(bench.tracker.stats().breaker).not.toBe('closed');
    const sizes = bench.transport.requests.map(({ events }) => events.length);
    expect(sizes.slice(-3)).toEqual([1, 1, 1]);
  });

  it('are sent in bodies of the size that the service is known to take, as new ones are', async () => {
    const { bench } = await createBench(200, { maxEvents: 100 });
    bench.answer((_, { body }) => (body.length > 1_500 ? 413 : 200));
    bench.trackNow(100);
    await bench.pass(WAIT_MS);
    expect(sorted(bench.taken)).toEqual([...range(0, 100), ...range(OLD, OLD + 200)]);
    const before = bench.requests;
    bench.trackNow(100);
    await bench.pass(WAIT_MS);
    const sizes = bench.transport.requests.slice(before).map(({ body }) => body.length);
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes.filter((bytes) => bytes > 1_500).length).toBeLessThanOrEqual(1);
  });

  it('are sent before new ones if order is strict, whether these are due or not', async () => {
    const { bench } = await createBench(3, { ordering: 'strict' });
    bench.trackNow(3);
    await bench.pass(WAIT_MS);
    expect(batchesOf(bench)).toEqual([[OLD, OLD + 1], [OLD + 2], [0, 1], [2]]);
  });
});

describe('events of an earlier process that cannot be read back', () => {
  it('are dropped as damaged and released; the others are delivered, and flush() waits for no more', async () => {
    const { bench, journal } = await createBench(5, { maxEvents: 10 });
    journal.damage({ segment: 1, from: 1, to: 3 });
    const flush = watch(bench.tracker.flush());
    await bench.pass(1);
    expect(bench.taken).toEqual([OLD, OLD + 3, OLD + 4]);
    expect(bench.drops).toEqual([{ reason: 'damaged', count: 2 }]);
    expect(flush.value).toEqual({ delivered: 3, deadLettered: 0, dropped: 2, pending: 0 });
    expect(released(journal)).toEqual(range(0, 5));
  });

  it('cause no request if there are no others', async () => {
    const { bench, journal } = await createBench(3);
    journal.damage({ segment: 1, from: 0, to: 3 });
    const flush = watch(bench.tracker.flush());
    await bench.pass(1);
    expect(flush.value).toEqual({ delivered: 0, deadLettered: 0, dropped: 3, pending: 0 });
    expect(bench.requests).toBe(0);
  });

  it.each(['unordered', 'strict'] as const)('do not hold up new ones, with order %s', async (ordering) => {
    const { bench, journal } = await createBench(3, { ordering });
    journal.damage({ segment: 1, from: 0, to: 3 });
    bench.trackNow(2);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1]]);
    expect(bench.tracker.stats()).toMatchObject({ dropped: { damaged: 3 }, pending: 0 });
  });
});

describe('events of an earlier process, while storage cannot be read', () => {
  it('wait, and new ones are sent; a second after it works again, they are sent too', async () => {
    const { bench, journal } = await createBench(2);
    journal.failReads = true;
    bench.trackNow(4);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(bench.storageFailures.map(String)).toEqual([expect.stringContaining('scripted')]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, stored: 2, inFlight: 0 });
    journal.failReads = false;
    await bench.pass(1_000);
    expect(batchesOf(bench).at(-1)).toEqual([OLD, OLD + 1]);
    expect(bench.drops).toEqual([]);
  });

  it.each([2, 500])(
    'do not hold up others that can be read, with %i events in a batch',
    async (maxEvents) => {
      const { bench, journal } = await createBench(0, { maxEvents });
      await bench.quiet();
      const read = journal.read.bind(journal);
      let tries = 0;
      journal.read = (range, limit) => {
        if (range.segment === 1) return read(range, limit);
        tries += 1;
        return Promise.reject(new Error('these sectors are bad'));
      };
      journal.observer?.recovered({ segment: 7, from: 0, to: 2 });
      await bench.pass(1);
      await journal.leave(textsOf([OLD + 2, OLD + 3]));
      await bench.pass(5_000);
      expect(tries).toBeGreaterThan(1);
      expect(batchesOf(bench)).toEqual([[OLD + 2, OLD + 3]]);
      expect(bench.tracker.stats()).toMatchObject({ pending: 2, stored: 2 });
    },
  );

  it('hold up all others if order is strict, and keep their order', async () => {
    const { bench, journal } = await createBench(1, { ordering: 'strict' });
    journal.failReads = true;
    void bench.tracker.flush({ timeoutMs: 0 });
    await bench.quiet();
    await journal.leave(textsOf([OLD + 1]));
    bench.trackNow(2);
    await bench.pass(5_000);
    expect(bench.requests).toBe(0);
    journal.failReads = false;
    await bench.pass(1_000);
    expect(bench.taken).toEqual([OLD, OLD + 1, 0, 1]);
    expect(textNumbers(journal.texts)).toEqual([0, 1]);
  });
});

it.each([
  ['events', { maxEvents: 10, maxBytes: undefined }],
  ['bytes alone', { maxEvents: undefined, maxBytes: 2_000 }],
])('new events do not wait for what an outage left, where %s bound a batch', async (_, batch) => {
  const { bench } = await createBench(0, { batch });
  bench.answer(() => failed(false));
  for (let round = 0; round < 20; round += 1) {
    bench.trackNow(20);
    await bench.pass(WAIT_MS);
  }
  expect(bench.states).toContain('open');
  const before = bench.requests;
  let count = 0;
  bench.answer(() => {
    count += 1;
    // The second answer after the outage: a new event is tracked.
    if (count === 2) bench.trackNow(1);
    return new Promise((resolve) => void bench.clock.setTimeout(() => resolve(answered(200)), 200));
  });
  bench.tracker.retryNow();
  await bench.pass(20 * WAIT_MS, 100);
  const at = batchesOf(bench)
    .slice(before)
    .findIndex((numbers) => numbers.includes(400));
  expect(at).toBeLessThan((bench.requests - before) / 2);
  expect(bench.tracker.stats()).toMatchObject({ delivered: 401, pending: 0 });
});
