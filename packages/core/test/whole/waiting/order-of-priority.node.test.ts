import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, numbersOf, range, textNumbers, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const HIGH = { priority: 'high' } as const;

function createBench(journal: FakeJournal, options: BenchOptions = {}): Bench {
  return new Bench({ journal, commitIntervalMs: HOUR, batch: { maxWaitMs: HOUR }, ...options });
}

/** The numbers of the events of each request. */
function requestsOf({ transport }: Bench): number[][] {
  return transport.requests.map(numbersOf);
}

describe('an event of high priority', () => {
  it('is written and sent at once, without the others', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.trackNow(2);
    bench.trackNow(1, HIGH);
    await bench.quiet();
    expect(textNumbers(journal.texts)).toEqual([2]);
    expect(requestsOf(bench)).toEqual([[2]]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, pending: 2, unwritten: 2 });
  });

  it('is sent before older events of normal priority', async () => {
    const bench = createBench(new FakeJournal(), { commitIntervalMs: 0, batch: { maxEvents: 2 } });
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    bench.answer(() => opened.then(() => answered(200)));
    await bench.track(2);
    await bench.track(2);
    bench.trackNow(1, HIGH);
    await bench.pass(1);
    open();
    await bench.pass(1);
    expect(requestsOf(bench)).toEqual([[0, 1], [4], [2, 3]]);
  });

  it('with strict order is sent at once behind all events before it', async () => {
    const bench = createBench(new FakeJournal(), { ordering: 'strict' });
    bench.trackNow(3);
    bench.trackNow(1, HIGH);
    bench.trackNow(1);
    await bench.quiet();
    expect(bench.taken.slice(0, 4)).toEqual(range(0, 4));
  });
});

describe('a tracker with events of both priorities', () => {
  it('counts them together', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const hang = journal.hangAppends();
    bench.trackNow(2);
    await bench.pass(SECOND);
    bench.trackNow(1, HIGH);
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({
      ...{ accepted: 3, pending: 3, unwritten: 3, inFlight: 0, oldestAgeMs: SECOND },
    });
    hang();
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, pending: 2, oldestAgeMs: SECOND });
  });

  it('ends flush() once all of them are delivered', async () => {
    const bench = createBench(new FakeJournal(), { delivery: { maxConcurrency: 2 } });
    const answers = new Map<number, () => void>();
    bench.answer(
      ([number = 0]) => new Promise((resolve) => answers.set(number, () => resolve(answered(200)))),
    );
    bench.trackNow(3);
    bench.trackNow(1, HIGH);
    const flushed = watch(bench.tracker.flush());
    await bench.quiet();
    for (const number of [0, 3]) {
      expect(flushed.isOver).toBe(false);
      answers.get(number)?.();
      await bench.quiet();
    }
    expect(flushed.value).toMatchObject({ delivered: 4, pending: 0 });
  });

  it('writes all of them in durable(), and rejects it if one cannot be written', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.answer(() => new Promise(() => {}));
    bench.trackNow(1);
    bench.trackNow(1, HIGH);
    await bench.tracker.durable();
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 0 });
    journal.failAppends = true;
    bench.trackNow(1, HIGH);
    await expect(bench.tracker.durable()).rejects.toThrow('not durable');
    expect(bench.tracker.stats()).toMatchObject({ journal: 'memory', pending: 3, unwritten: 1 });
  });

  it('drops in close() what no journal has, and nothing else', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.trackNow(2);
    await bench.tracker.durable();
    journal.failAppends = true;
    bench.answer(() => 401);
    bench.trackNow(1, HIGH);
    const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
    await bench.pass(10 * SECOND);
    expect(closed.value).toMatchObject({ delivered: 0, dropped: 1, pending: 2 });
    expect(bench.drops).toEqual([{ reason: 'closed', count: 1 }]);
  });

  it('drops all of them in close() if its journal does not outlive it', async () => {
    const bench = new Bench({ batch: { maxWaitMs: HOUR } });
    bench.answer(() => 401);
    bench.trackNow(2);
    bench.trackNow(1, HIGH);
    await bench.quiet();
    const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
    await bench.pass(10 * SECOND);
    expect(closed.value).toMatchObject({ delivered: 0, dropped: 3, pending: 0 });
  });
});

it('events of high priority take at most every other request while others are due', async () => {
  const bench = createBench(new FakeJournal(), {
    commitIntervalMs: 0,
    batch: { maxEvents: 2, maxWaitMs: 0 },
  });
  bench.answer(async () => {
    // There is always another one.
    if (bench.requests < 20) bench.trackNow(1, HIGH);
    return answered(200);
  });
  bench.trackNow(1, HIGH);
  bench.trackNow(10);
  await bench.pass(1);
  const others = requestsOf(bench).map(([n = 0]) => n > 0 && n < 11);
  expect(others.slice(0, 10).filter(Boolean)).toHaveLength(5);
});
