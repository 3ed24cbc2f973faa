import { afterEach, describe, expect, it, vi } from 'vitest';
import { Bench, type BenchOptions, groupsOf, textNumbers, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { hang } from '../../bench/scripted-transport.ts';

const INTERVAL_MS = 10;
const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
/** Events stay in memory, because no batch is due. */
const NONE_DUE = { maxWaitMs: HOUR };

function createBench(journal: FakeJournal, options: BenchOptions = {}): Bench {
  // The longest waits.
  return new Bench({ journal, commitIntervalMs: INTERVAL_MS, random: () => 1, ...options });
}

/** Writes one event as soon as possible. */
async function writeOne(bench: Bench): Promise<void> {
  bench.trackNow(1);
  await bench.tracker.durable().catch(() => undefined);
}

function countAppends({ calls }: FakeJournal): number {
  return calls.filter((call) => call === 'append').length;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a tracker whose journal fails', () => {
  it('says where events are kept, each time that this changes', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.answer((_, request) => hang(request));
    const kinds: string[] = [];
    bench.tracker.on('storageChanged', ({ kind }) => kinds.push(kind));
    await writeOne(bench);
    expect([kinds, bench.tracker.stats().journal]).toEqual([[], 'fake']);
    journal.failAppends = true;
    await writeOne(bench);
    await writeOne(bench);
    expect([kinds, bench.tracker.stats().journal]).toEqual([['memory'], 'memory']);
    journal.failAppends = false;
    await bench.pass(120 * SECOND);
    expect([kinds, bench.tracker.stats().journal]).toEqual([['memory', 'fake'], 'fake']);
  });

  it('says in the console that events stay in memory, and why', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const journal = new FakeJournal();
    journal.failAppends = true;
    await writeOne(createBench(journal, { logger: undefined }));
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^Sluice keeps events in memory: .+/)]]);
  });

  it('delivers all events from memory, and says so once', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = createBench(journal);
    bench.trackNow(2);
    await bench.pass(INTERVAL_MS);
    expect(bench.taken).toEqual([0, 1]);
    expect(bench.storageFailures).toEqual([expect.objectContaining({ code: 'SLUICE_STORAGE' })]);
    expect(bench.tracker.stats()).toMatchObject({
      journal: 'memory',
      delivered: 2,
      pending: 0,
      unwritten: 0,
    });
    expect(journal.acknowledged).toEqual([]);
  });

  it('tries it once, and again after a wait, though it rejects at once and each event needs new room', async () => {
    const journal = new FakeJournal();
    let tries = 0;
    journal.append = () => {
      tries += 1;
      // So that the test ends where it would be tried for ever.
      return tries > 100 ? new Promise(() => {}) : Promise.reject(new Error('refused'));
    };
    const space = async () => ({ freeBytes: HOUR, totalBytes: HOUR, otherBytes: 1 });
    const bench = createBench(Object.assign(journal, { space }), {
      batch: NONE_DUE,
      storage: { maxBytes: 65_536, minFreeBytes: 0 },
    });
    bench.tracker.track('purchase', { text: 'x'.repeat(5_000) }, { correlationValue: 'ada@example.com' });
    await bench.pass(INTERVAL_MS);
    expect(tries).toBe(1);
    await bench.pass(HOUR);
    expect(tries).toBeLessThan(100);
  });

  it('counts events that are only in memory as unwritten', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = createBench(journal, { batch: NONE_DUE });
    bench.trackNow(2);
    await bench.pass(INTERVAL_MS);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2, stored: 0, journalBytes: 0 });
  });

  it('delivers all events in flush()', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = createBench(journal, { batch: NONE_DUE });
    bench.trackNow(2);
    expect(await bench.tracker.flush()).toMatchObject({ delivered: 2, pending: 0 });
  });

  it('treats a journal that throws like one that rejects', async () => {
    class ThrowingJournal extends FakeJournal {
      override append(): never {
        throw new Error('not even a promise');
      }
    }
    const bench = createBench(new ThrowingJournal());
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    expect(bench.storageFailures).toMatchObject([{ message: 'storage failed: not even a promise' }]);
    expect(bench.taken).toEqual([0]);
  });

  it.each([undefined, { segment: 1, from: 0, to: 0 }, { segment: 1, from: 0, to: Number.NaN }])(
    'treats the wrong range %j like a failure',
    async (range) => {
      const journal = new FakeJournal();
      journal.append = async () => range as never;
      const bench = createBench(journal);
      bench.trackNow(2);
      await bench.pass(INTERVAL_MS);
      expect(bench.storageFailures).toHaveLength(1);
      expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0, journal: 'memory' });
    },
  );
});

describe('a tracker, after its journal failed,', () => {
  it('leaves it alone for a while, and then writes the events that are still in memory', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: NONE_DUE });
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppends = false;
    bench.trackNow(1);
    await bench.pass(SECOND - 1);
    expect(countAppends(journal)).toBe(1);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'memory', unwritten: 2 });
    await bench.pass(1);
    expect(groupsOf(journal)).toEqual([[0], [1]]);
    expect(bench.storageFailures).toHaveLength(1);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'fake', unwritten: 0 });
    await bench.tracker.flush();
    expect(bench.taken).toEqual([0, 1]);
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 2 }]);
  });

  it('tries it less and less often, but once a minute at least', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = createBench(journal, { batch: NONE_DUE });
    const tries: number[] = [];
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    for (let second = 0; tries.length < 10; second += 1) {
      if (countAppends(journal) > tries.length) tries.push(second);
      bench.trackNow(1);
      await bench.pass(SECOND, SECOND);
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });

  it('tries it with one append at a time', async () => {
    const journal = new FakeJournal({ maxEvents: 1, maxBytes: 100_000 });
    const bench = createBench(journal, { batch: NONE_DUE });
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    bench.trackNow(3);
    await bench.pass(SECOND);
    expect(countAppends(journal)).toBe(2);
    journal.failAppends = false;
    await bench.pass(2 * SECOND);
    expect(groupsOf(journal)).toEqual([[0], [1], [2], [3]]);
  });

  it('begins with short waits again once it has worked', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: NONE_DUE });
    journal.failAppends = true;
    await writeOne(bench);
    await bench.pass(SECOND);
    await writeOne(bench);
    await bench.pass(2 * SECOND);
    journal.failAppends = false;
    await writeOne(bench);
    expect(textNumbers(journal.texts)).toEqual([0, 1, 2]);
    journal.failAppends = true;
    await writeOne(bench);
    journal.failAppends = false;
    await bench.pass(SECOND - 1);
    expect(textNumbers(journal.texts)).toEqual([0, 1, 2]);
    await bench.pass(1);
    expect(textNumbers(journal.texts)).toEqual([0, 1, 2, 3]);
  });

  it('does not wait for hours because the time of day was set back', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: NONE_DUE });
    journal.failAppends = true;
    await writeOne(bench);
    await bench.quiet();
    journal.failAppends = false;
    bench.time.skewMs = -24 * HOUR;
    await bench.pass(SECOND);
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    expect(groupsOf(journal)).toEqual([[0], [1]]);
    expect(bench.tracker.stats().journal).toBe('fake');
  });

  it.each(['durable', 'flush'] as const)('tries it at once in %s()', async (method) => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: NONE_DUE });
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppends = false;
    await bench.tracker[method]();
    expect(groupsOf(journal)).toEqual([[0]]);
    expect(bench.tracker.stats().journal).toBe('fake');
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    expect(groupsOf(journal)).toEqual([[0], [1]]);
  });

  it('sends events while it tries to write them again: a disk may not answer', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: { maxWaitMs: 1_500 } });
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppends = false;
    const release = journal.hangAppends();
    await bench.pass(2 * SECOND);
    expect(countAppends(journal)).toBe(2);
    expect(bench.taken).toEqual([0]);
    release();
    await bench.pass(1);
    expect(bench.requests).toBe(1);
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 1 }]);
  });
});

describe('close(), after the journal failed,', () => {
  it('leaves no timer', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.tracker.close();
    expect(bench.taken).toEqual([0]);
    expect(bench.clock.timers).toBe(0);
  });

  it('waits until all events are written if the journal works again', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.answer((_, request) => hang(request));
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    bench.trackNow(1);
    journal.failAppends = false;
    const endFirst = journal.hangAppends();
    const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
    await bench.pass(1);
    const endSecond = journal.hangAppends();
    endFirst();
    await bench.quiet();
    expect(closed.isOver).toBe(false);
    endSecond();
    await bench.quiet();
    expect(groupsOf(journal)).toEqual([[1], [0]]);
    expect(closed.value).toMatchObject({ delivered: 0, dropped: 0, pending: 2 });
  });
});
