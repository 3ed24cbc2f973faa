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
} from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered, failed, hang } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MIB = 1024 * 1024;

/** A tracker with room for a few events, whose service does not answer until `goOn()`. Each event is a request of its own. */
function createBench(
  maxEvents: number,
  options: BenchOptions = {},
): { bench: Bench; journal: FakeJournal; goOn: () => Promise<void> } {
  const journal = new FakeJournal();
  const bench = new Bench({ journal, maxEvents: 1, buffer: { maxEvents }, ...options });
  let finish = (): void => {};
  const finished = new Promise<Outcome>((resolve) => {
    finish = () => resolve(answered(200));
  });
  bench.answer(() => finished);
  const goOn = async (): Promise<void> => {
    finish();
    await bench.pass(MINUTE);
  };
  return { bench, journal, goOn };
}

describe('a tracker whose memory is full', () => {
  it.each(['unordered', 'strict'] as const)(
    'leaves to the journal what that has, and delivers all of it in the end, with order %s',
    async (ordering) => {
      const { bench, goOn } = createBench(3, { ordering });
      for (let round = 0; round < 10; round += 1) await bench.track(3);
      expect(bench.tracker.stats()).toMatchObject({
        pending: 30,
        unwritten: 0,
        dropped: { 'buffer-full': 0 },
      });
      expect(bench.tracker.stats().stored).toBeGreaterThanOrEqual(30 - 3 - 1);
      await goOn();
      expect(sorted(bench.taken)).toEqual(range(0, 30));
      if (ordering === 'strict') expect(bench.taken).toEqual(range(0, 30));
      expect(bench.tracker.stats()).toMatchObject({ delivered: 30, stored: 0, memoryBytes: 0 });
    },
  );

  it('gives the journal each event once, however often it is asked to', async () => {
    const { bench, journal, goOn } = createBench(3);
    for (let round = 0; round < 5; round += 1) {
      await bench.track(2);
      await bench.tracker.durable();
    }
    await goOn();
    void bench.tracker.flush();
    await bench.tracker.durable();
    expect(textNumbers(journal.texts)).toEqual(range(0, 10));
    expect(journal.bytes).toBe(0);
  });

  it('drops new events while no journal has the others, and takes more once one is in a request', async () => {
    const { bench, journal, goOn } = createBench(2);
    const release = journal.hangAppends();
    bench.trackNow(3);
    await bench.pass(1);
    expect(bench.drops).toEqual([{ reason: 'buffer-full', count: 1 }]);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 3, pending: 2, unwritten: 2, stored: 0 });
    journal.failAppends = true;
    release();
    await bench.pass(1);
    // One of the two is sent from memory, so that there is room for one more.
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2, inFlight: 1 });
    bench.trackNow(2);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, dropped: { 'buffer-full': 2 } });
    await goOn();
    expect(bench.taken).toEqual([0, 1, 3]);
  });

  it('does not leave to a journal that failed what that does not have', async () => {
    const { bench, journal, goOn } = createBench(2);
    await bench.track(1);
    journal.failAppends = true;
    bench.trackNow(2);
    void bench.tracker.flush({ timeoutMs: 10 });
    await bench.pass(20);
    bench.trackNow(1);
    expect(bench.drops).toEqual([{ reason: 'buffer-full', count: 1 }]);
    await goOn();
    expect(bench.taken).toEqual([0, 1, 2]);
  });

  it('holds no memory for events that the journal had no room for', async () => {
    const storage = { maxBytes: 64 * 1024, minFreeBytes: 0, whenFull: 'drop-newest' } as const;
    const { bench } = createBench(10, { storage });
    bench.trackNow(1, { bytes: 40_000 });
    await bench.pass(1);
    bench.trackNow(2, { bytes: 40_000 });
    await bench.pass(1);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 1, pending: 1, memoryBytes: 0 });
    expect(bench.tracker.stats().dropped['journal-full']).toBe(2);
  });

  it('delivers the others if the journal had no room for some in the middle', async () => {
    const { bench, journal, goOn } = createBench(10, {
      storage: { maxBytes: 64 * 1024, minFreeBytes: 0, whenFull: 'drop-newest' },
    });
    bench.trackNow(4, { bytes: 10_000 });
    await bench.pass(1);
    bench.trackNow(2, { bytes: 40_000 });
    await bench.pass(1);
    expect(bench.tracker.stats().dropped['journal-full']).toBe(2);
    bench.trackNow(9, { bytes: 100 });
    await bench.pass(1);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 15, pending: 13, unwritten: 0 });
    await goOn();
    expect(sorted(bench.taken)).toEqual([...range(0, 4), ...range(6, 15)]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, memoryBytes: 0 });
    expect(journal.bytes).toBe(0);
  });

  it('delivers the others in their order if another process has sent some in the middle', async () => {
    const { bench, journal, goOn } = createBench(100, { ordering: 'strict' });
    await bench.track(10);
    journal.observer?.settled?.({ segment: 1, from: 4, to: 7 }, 'delivered');
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, pending: 7 });
    await goOn();
    expect(bench.taken).toEqual([0, 1, 2, 3, 7, 8, 9]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 10, pending: 0, memoryBytes: 0 });
  });
});

describe('a tracker that waits for its service', () => {
  it('keeps at most 16 MiB of what the journal has in memory, and all that the journal does not have', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal });
    bench.answer((_, request) => hang(request));
    const release = journal.hangAppends();
    bench.trackNow(100, { bytes: 250_000 });
    await bench.pass(1);
    expect(bench.tracker.stats()).toMatchObject({ pending: 100, unwritten: 100, stored: 0 });
    expect(bench.tracker.stats().memoryBytes).toBeGreaterThan(25_000_000);
    release();
    await bench.pass(SECOND);
    const { memoryBytes, stored } = bench.tracker.stats();
    expect(bench.tracker.stats()).toMatchObject({ pending: 100, unwritten: 0 });
    expect(memoryBytes).toBeLessThanOrEqual(16 * MIB + 250_000);
    expect(stored).toBeGreaterThan(0);
    bench.answer(() => 200);
    await bench.pass(5 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
  });

  it('says where events wait', async () => {
    const { bench, journal } = createBench(1_000, { batch: { maxWaitMs: MINUTE, maxEvents: 2 } });
    await bench.track(2);
    await journal.leave(textsOf(range(100, 105)));
    await bench.track(1);
    journal.hangAppends();
    await bench.track(4);
    const { pending, unwritten, stored, inFlight } = bench.tracker.stats();
    expect({ pending, unwritten, stored, inFlight }).toEqual({
      ...{ pending: 12, unwritten: 4, stored: 5, inFlight: 2 },
    });
  });

  it('says how old the oldest event is, wherever that waits', async () => {
    const { bench, journal, goOn } = createBench(2);
    expect(bench.tracker.stats().oldestAgeMs).toBeUndefined();
    const release = journal.hangAppends();
    await bench.track(1);
    expect(bench.tracker.stats()).toMatchObject({ unwritten: 1, oldestAgeMs: 1 });
    release();
    await bench.pass(9);
    expect(bench.tracker.stats()).toMatchObject({ unwritten: 0, inFlight: 1, oldestAgeMs: 10 });
    journal.failReads = true;
    for (let count = 0; count < 4; count += 1) await bench.track(1);
    expect(bench.tracker.stats().oldestAgeMs).toBe(14);
    await goOn();
    // The second event is in the journal alone, where it cannot be read.
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 0, memoryBytes: 0, oldestAgeMs: 4 + MINUTE });
    journal.failReads = false;
    await bench.pass(SECOND);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, oldestAgeMs: undefined });
  });

  it('says so also of events of an earlier process, as far as the journal knows', async () => {
    const { bench, journal, goOn } = createBench(2);
    await bench.quiet();
    await journal.leave(textsOf([100]));
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, oldestAgeMs: undefined });
    await goOn();
    bench.answer((_, request) => hang(request));
    await journal.leave(textsOf([101]), [bench.clock.now() - MINUTE]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, oldestAgeMs: MINUTE });
    await bench.pass(SECOND);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 1, oldestAgeMs: MINUTE + SECOND });
  });
});

describe('a tracker after an outage', () => {
  it('sends new events before most of those that waited', async () => {
    const bench = new Bench({ journal: new FakeJournal(), maxEvents: 100 });
    bench.answer(() => failed(false));
    for (let round = 0; round < 50; round += 1) await bench.track(100);
    bench.answer(() => 200);
    let before = 0;
    bench.tracker.on('breaker', ({ state }) => {
      if (state !== 'closed') return;
      before = bench.requests;
      bench.trackNow(100);
    });
    await bench.pass(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 5_100, pending: 0 });
    const batches = bench.transport.requests.slice(before).map(numbersOf);
    expect(batches.length).toBeGreaterThan(40);
    expect(batches.findIndex((numbers) => numbers.includes(5_099))).toBeLessThan(15);
  });
});
