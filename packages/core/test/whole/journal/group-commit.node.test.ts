import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, groupsOf, range } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const INTERVAL_MS = 10;
const HOUR = 60 * 60_000;

/** Written events stay in memory, because no batch is due. */
function createBench(journal: FakeJournal, options: BenchOptions = {}): Bench {
  return new Bench({ journal, commitIntervalMs: INTERVAL_MS, batch: { maxWaitMs: HOUR }, ...options });
}

describe('a tracker with a journal', () => {
  it('sets no timer and writes nothing while no event waits', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    await bench.tracker.flush();
    expect(bench.clock.timers).toBe(0);
    expect(journal.calls).toEqual(['open']);
  });

  it('writes all events of the interval in one append, with one timer', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.trackNow(2);
    await bench.pass(INTERVAL_MS - 1);
    bench.trackNow(1);
    expect(bench.clock.timers).toBe(1);
    expect(journal.calls).toEqual(['open']);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 3 });
    await bench.pass(1);
    expect(groupsOf(journal)).toEqual([[0, 1, 2]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 0 });
  });

  it('counts the interval from the first event, however many follow', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    for (let ms = 0; ms < INTERVAL_MS; ms += 1) {
      expect(journal.groups).toEqual([]);
      await bench.track(1);
    }
    expect(groupsOf(journal)).toEqual([range(0, INTERVAL_MS)]);
  });

  it('counts the next interval from the first event after a write', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { buffer: { maxEvents: 80 } });
    // Enough for a write of its own.
    bench.trackNow(10);
    await bench.pass(INTERVAL_MS / 2);
    expect(journal.groups).toHaveLength(1);
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS - 1);
    expect(journal.groups).toHaveLength(1);
    await bench.pass(1);
    expect(groupsOf(journal).at(-1)).toEqual([10]);
  });

  it('writes an event within the interval, though the time of day was set back', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.trackNow(1);
    bench.time.skewMs = -24 * HOUR;
    await bench.pass(INTERVAL_MS);
    expect(groupsOf(journal)).toEqual([[0]]);
  });

  it('makes four appends at once at most, and writes all events that come meanwhile together', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const release = journal.hangAppends();
    for (let number = 0; number < 6; number += 1) {
      bench.trackNow(1);
      await bench.pass(INTERVAL_MS);
    }
    expect(journal.mostAppendsAtOnce).toBe(4);
    release();
    await bench.pass(INTERVAL_MS);
    expect(groupsOf(journal)).toEqual([[0], [1], [2], [3], [4, 5]]);
    expect(journal.mostAppendsAtOnce).toBe(4);
    expect(bench.tracker.stats().unwritten).toBe(0);
  });

  it('gives the journal no larger group than the journal takes, except for a single event', async () => {
    const journal = new FakeJournal({ maxEvents: 2, maxBytes: 5_000 });
    const bench = createBench(journal);
    bench.trackNow(3);
    bench.trackNow(2, { bytes: 4_000 });
    bench.trackNow(1, { bytes: 9_000 });
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    expect(groupsOf(journal)).toEqual([[0, 1], [2, 3], [4], [5], [6]]);
    expect(bench.tracker.stats().unwritten).toBe(0);
  });

  it('writes at once what is enough for a write of its own', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { buffer: { maxEvents: 80 } });
    bench.trackNow(9);
    await bench.quiet();
    expect(journal.groups).toEqual([]);
    bench.trackNow(1);
    await bench.quiet();
    expect(groupsOf(journal)).toEqual([range(0, 10)]);
  });

  it('sends the events of a group once they are written, while it writes the next group', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: { maxWaitMs: 1 } });
    const releaseFirst = journal.hangAppends();
    bench.trackNow(2);
    await bench.pass(INTERVAL_MS);
    const releaseSecond = journal.hangAppends();
    bench.trackNow(2);
    await bench.pass(INTERVAL_MS);
    expect(bench.requests).toBe(0);
    releaseFirst();
    await bench.quiet();
    expect(bench.taken).toEqual([0, 1]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2 });
    bench.trackNow(1);
    releaseSecond();
    await bench.pass(INTERVAL_MS);
    expect(bench.taken).toEqual(range(0, 5));
    expect(groupsOf(journal)).toEqual([[0, 1], [2, 3], [4]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, unwritten: 0 });
  });

  it('releases each event where the journal has it, also if a later append ends first', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: { maxEvents: 1, maxWaitMs: 1 } });
    const releaseFirst = journal.hangAppends();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.hangAppends()();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    expect(groupsOf(journal)).toEqual([[1]]);
    expect(bench.tracker.stats()).toMatchObject({ unwritten: 1, delivered: 0 });
    releaseFirst();
    await bench.pass(1);
    expect(groupsOf(journal)).toEqual([[1], [0]]);
    expect(bench.taken).toEqual([0, 1]);
    expect(journal.acknowledged).toMatchObject([
      { segment: 1, from: 1, to: 2 },
      { segment: 1, from: 0, to: 1 },
    ]);
  });
});
