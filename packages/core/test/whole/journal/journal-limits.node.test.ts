import { describe, expect, it } from 'vitest';
import type { Journal } from '../../../src/keep/journal.ts';
import { Bench, type BenchOptions, textNumbers, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { SegmentedJournal } from '../../bench/segmented-journal.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const MAX_BYTES = 64 * 1024;
/** Three such events fit into `MAX_BYTES`. */
const THIRD = { bytes: 20_000 };
const ONE = { reason: 'journal-full', count: 1 };

function createBench(
  journal: Journal,
  storage: BenchOptions['storage'],
  batch: BenchOptions['batch'] = { maxWaitMs: HOUR },
): Bench {
  // The longest waits: a journal that failed is tried again after one second.
  return new Bench({ journal, random: () => 1, batch, storage });
}

/** Tracks events, and writes them. */
async function write(bench: Bench, count: number, size: { bytes: number }): Promise<void> {
  bench.trackNow(count, size);
  await bench.tracker.durable();
  bench.check();
}

describe('a tracker whose journal has no more room', () => {
  it('drops the newest events if it is told so, counts them, and delivers the others', async () => {
    const journal = new SegmentedJournal();
    const bench = createBench(journal, { maxBytes: MAX_BYTES, whenFull: 'drop-newest' });
    await write(bench, 2, THIRD);
    await write(bench, 2, THIRD);
    // The older one of the last two fits.
    expect(textNumbers(journal.texts)).toEqual([0, 1, 2]);
    expect(bench.drops).toEqual([ONE]);
    await write(bench, 1, THIRD);
    expect(bench.drops).toEqual([ONE, ONE]);
    expect(bench.tracker.stats()).toMatchObject({
      ...{ pending: 3, unwritten: 0, journal: 'segmented', dropped: { 'journal-full': 2 } },
    });
    await bench.tracker.flush();
    expect(bench.taken).toEqual([0, 1, 2]);
    expect(bench.storageFailures).toEqual([]);
  });

  it('drops the oldest events otherwise, counts them, and sends none of them', async () => {
    const journal = new SegmentedJournal();
    const bench = createBench(journal, { maxBytes: MAX_BYTES });
    for (let number = 0; number < 5; number += 1) await write(bench, 1, THIRD);
    expect(textNumbers(journal.texts)).toEqual([2, 3, 4]);
    expect(bench.drops).toEqual([ONE, ONE]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, dropped: { 'journal-full': 2 } });
    await bench.tracker.flush();
    expect(bench.taken).toEqual([2, 3, 4]);
  });

  it('drops an event that could never fit, and nothing else', async () => {
    const journal = new SegmentedJournal();
    const bench = createBench(journal, { maxBytes: MAX_BYTES });
    await write(bench, 1, THIRD);
    await write(bench, 1, { bytes: 2 * MAX_BYTES });
    expect(textNumbers(journal.texts)).toEqual([0]);
    expect(journal.evicted).toEqual([]);
    expect(bench.drops).toEqual([ONE]);
    await bench.tracker.flush();
    expect(bench.taken).toEqual([0]);
  });

  it('drops nothing before the appends have ended that have begun', async () => {
    const journal = new FakeJournal({ maxEvents: 1, maxBytes: MAX_BYTES });
    const bench = createBench(journal, { maxBytes: MAX_BYTES });
    const release = journal.hangAppends();
    bench.trackNow(2, { bytes: 30_000 });
    await bench.pass(1);
    expect(journal.mostAppendsAtOnce).toBe(2);
    bench.trackNow(1, { bytes: 30_000 });
    await bench.pass(1);
    expect(bench.drops).toEqual([]);
    release();
    await bench.pass(1);
    expect(bench.drops).toEqual([ONE]);
    expect(textNumbers(journal.texts)).toEqual([0, 1]);
    expect(bench.tracker.stats().pending).toBe(2);
  });

  it('goes on in memory if the journal fails to give up its oldest segment', async () => {
    class ReadOnlyJournal extends SegmentedJournal {
      override async evictOldest(): Promise<number | undefined> {
        throw new Error('EROFS');
      }
    }
    const journal = new ReadOnlyJournal();
    const bench = createBench(journal, { maxBytes: MAX_BYTES });
    await write(bench, 3, THIRD);
    bench.trackNow(1, THIRD);
    await bench.pass(1);
    expect(bench.storageFailures).toMatchObject([{ message: 'storage failed: EROFS' }]);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'memory', pending: 4, unwritten: 1 });
    expect(bench.drops).toEqual([]);
    await bench.tracker.flush();
    expect(bench.taken).toEqual([0, 1, 2, 3]);
  });
});

describe('a tracker whose journal would leave others too little disk space', () => {
  const low = async () => ({ freeBytes: 100, totalBytes: 1_000_000 });
  const roomy = async () => ({ freeBytes: 900_000, totalBytes: 1_000_000 });
  const storage = { minFreeBytes: 50 };

  it('keeps events in memory, says why, and writes them once there is room', async () => {
    const journal = new SegmentedJournal();
    journal.disk = low;
    const bench = createBench(journal, storage);
    bench.trackNow(2);
    await bench.pass(1);
    expect(bench.storageFailures).toMatchObject([
      { code: 'SLUICE_STORAGE', message: expect.stringContaining('too little room') },
    ]);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'memory', pending: 2, unwritten: 2 });
    journal.disk = roomy;
    await bench.pass(SECOND);
    expect(textNumbers(journal.texts)).toEqual([0, 1]);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'segmented', unwritten: 0 });
    expect(bench.drops).toEqual([]);
  });

  it('sends them from memory as soon as their batch is due', async () => {
    const journal = new SegmentedJournal();
    journal.disk = low;
    const bench = createBench(journal, storage, { maxWaitMs: 10 });
    bench.trackNow(2);
    await bench.pass(30);
    expect(bench.taken).toEqual([0, 1]);
    expect(journal.texts).toEqual([]);
  });

  it('delivers them from memory in flush()', async () => {
    const journal = new SegmentedJournal();
    journal.disk = low;
    const bench = createBench(journal, storage);
    bench.trackNow(2);
    expect(await bench.tracker.flush()).toMatchObject({ delivered: 2, pending: 0 });
    expect(bench.taken).toEqual([0, 1]);
    expect(journal.texts).toEqual([]);
  });

  it('rejects durable() for them', async () => {
    const journal = new SegmentedJournal();
    journal.disk = low;
    const bench = createBench(journal, storage);
    bench.trackNow(1);
    const durable = watch(bench.tracker.durable());
    await bench.quiet();
    expect(durable.error).toMatchObject({ code: 'SLUICE_STORAGE' });
  });

  it('writes all events if the disk does not say how much space it has', async () => {
    const journal = new SegmentedJournal();
    journal.disk = () => Promise.reject(new Error('unknown'));
    const bench = createBench(journal, storage);
    await write(bench, 2, THIRD);
    expect(textNumbers(journal.texts)).toEqual([0, 1]);
  });
});
