import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../../src/base/event-bytes.ts';
import { Bench, type BenchOptions, range, sorted, textNumbers } from '../../bench/bench.ts';
import { FakeJournal, FakeSyncJournal } from '../../bench/fake-journal.ts';
import { createMortal } from '../../bench/last-moment.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const HIGH = { priority: 'high' } as const;

interface Scene {
  readonly bench: Bench;
  /** The process ends, or a signal says that it must end. */
  readonly exit: () => void;
  readonly signal: () => void;
}

function createScene(journal: FakeJournal, options: BenchOptions = {}): Scene {
  const { made, end } = createMortal(
    // The longest waits: a journal that failed is tried again after one second.
    () =>
      new Bench({ journal, commitIntervalMs: HOUR, batch: { maxWaitMs: HOUR }, random: () => 1, ...options }),
  );
  return { bench: made, exit: () => end(true), signal: () => end(false) };
}

/** The numbers of the events of each synchronous append. */
function lastGroupsOf({ syncGroups }: FakeSyncJournal): number[][] {
  return syncGroups.map(textNumbers);
}

describe('a tracker, when the process ends,', () => {
  it('writes all events before its listener returns, in groups that the journal takes', async () => {
    const journal = new FakeSyncJournal({ maxEvents: 2, maxBytes: 100_000 });
    const { bench, exit } = createScene(journal);
    bench.trackNow(3);
    exit();
    expect(lastGroupsOf(journal)).toEqual([[0, 1], [2]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 0 });
    bench.check();
  });

  it('writes each event at once that is tracked after that', () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal);
    exit();
    bench.trackNow(2);
    expect(lastGroupsOf(journal)).toEqual([[0], [1]]);
  });

  it('writes held events once whose customer became known just before', () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal, { unidentified: { hold: true } });
    for (const n of [0, 1, 2]) bench.tracker.track('event', { n });
    bench.tracker.identify('ada@example.com');
    exit();
    expect(lastGroupsOf(journal)).toEqual([[0, 1, 2]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 0 });
    bench.check();
  });

  it('writes nothing that is written', async () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal);
    bench.trackNow(1);
    await bench.tracker.durable();
    exit();
    expect(journal.syncGroups).toEqual([]);
    bench.trackNow(1);
    exit();
    expect(lastGroupsOf(journal)).toEqual([[1]]);
  });

  it('writes also the events of appends that have not ended', async () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal);
    journal.hangAppends();
    bench.trackNow(1);
    void bench.tracker.durable();
    await bench.quiet();
    bench.trackNow(1);
    exit();
    expect(lastGroupsOf(journal)).toEqual([[0], [1]]);
  });

  it('writes the events of such appends in the order in which the appends began, whatever their priority', async () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal);
    journal.hangAppends();
    for (const options of [{}, HIGH, {}]) {
      bench.trackNow(1, options);
      void bench.tracker.durable();
      await bench.quiet();
    }
    bench.trackNow(1, HIGH);
    exit();
    expect(lastGroupsOf(journal)).toEqual([[0], [1], [2], [3]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 4, unwritten: 0 });
  });

  it('writes also the events that no journal has, because it failed before', async () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal, {
      batch: { maxEvents: 2 },
      delivery: { maxConcurrency: 2 },
    });
    bench.answer(() => new Promise(() => {}));
    journal.failAppends = true;
    bench.trackNow(5);
    void bench.tracker.flush();
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 4, unwritten: 5 });
    journal.failAppends = false;
    bench.trackNow(1);
    exit();
    expect(sorted(textNumbers(journal.syncGroups.flat()))).toEqual(range(0, 6));
    expect(bench.tracker.stats()).toMatchObject({ pending: 6, unwritten: 0 });
    exit();
    expect(journal.syncGroups.flat()).toHaveLength(6);
  });

  it('writes nothing if the journal cannot do that at once', async () => {
    const journal = new FakeJournal();
    const { bench, exit } = createScene(journal);
    bench.trackNow(1);
    exit();
    expect(journal.calls).toEqual(['open']);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, unwritten: 1 });
    expect(bench.storageFailures).toEqual([]);
  });

  it('reports that the journal fails, and keeps the events', () => {
    const journal = new FakeSyncJournal();
    const { bench, exit } = createScene(journal);
    journal.failAppends = true;
    bench.trackNow(1);
    exit();
    expect(bench.storageFailures).toMatchObject([{ message: 'the scripted failure of appendSync' }]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, unwritten: 1 });
  });

  it.each([undefined, { segment: 1, from: 0, to: 0 }, { segment: 1, from: 0, to: Number.NaN }])(
    'ends, and reports it, if the journal returns the wrong range %j',
    (range) => {
      const journal = new FakeSyncJournal();
      journal.appendSync = (_events: EventBytes) => range as never;
      const { bench, exit } = createScene(journal);
      bench.trackNow(2);
      exit();
      expect(bench.storageFailures).toMatchObject([{ message: 'the journal gave no range' }]);
      expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2 });
    },
  );
});

describe('a tracker whose process survives a signal', () => {
  it('goes on with the events that it wrote, and releases them there', async () => {
    const journal = new FakeSyncJournal();
    const { bench, signal } = createScene(journal);
    bench.trackNow(2);
    signal();
    bench.trackNow(1);
    expect(lastGroupsOf(journal)).toEqual([[0, 1]]);
    await bench.tracker.flush();
    expect(journal.groups.map(textNumbers)).toEqual([[2]]);
    expect(bench.taken).toEqual([0, 1, 2]);
    expect(journal.acknowledged).toMatchObject([
      { segment: 2, from: 0, to: 2 },
      { segment: 1, from: 0, to: 1 },
    ]);
  });

  it('writes no event again that it was about to write', async () => {
    let look = (): void => {};
    class DiskJournal extends FakeSyncJournal {
      space(): Promise<{ freeBytes: number; totalBytes: number }> {
        return new Promise((resolve) => {
          look = () => resolve({ freeBytes: 1_000_000, totalBytes: 1_000_000 });
        });
      }
    }
    const journal = new DiskJournal();
    const { bench, signal } = createScene(journal);
    bench.trackNow(2);
    void bench.tracker.durable();
    await bench.quiet();
    signal();
    look();
    await bench.quiet();
    expect(lastGroupsOf(journal)).toEqual([[0, 1]]);
    expect(journal.groups).toEqual([]);
    bench.trackNow(1);
    await bench.tracker.durable();
    expect(journal.groups.map(textNumbers)).toEqual([[2]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 0 });
  });

  it('releases what an append took that it had written again', async () => {
    const journal = new FakeSyncJournal();
    const { bench, signal } = createScene(journal);
    const release = journal.hangAppends();
    bench.trackNow(1);
    void bench.tracker.durable();
    await bench.quiet();
    signal();
    release();
    await bench.quiet();
    expect(lastGroupsOf(journal)).toEqual([[0]]);
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 1 }]);
    await bench.tracker.flush();
    expect(bench.taken).toEqual([0]);
    expect(journal.acknowledged).toMatchObject([{ segment: 1 }, { segment: 2, from: 0, to: 1 }]);
  });

  it('writes the events once the journal works, if it failed at the signal', async () => {
    const journal = new FakeSyncJournal();
    const { bench, signal } = createScene(journal);
    journal.failAppends = true;
    bench.trackNow(2);
    signal();
    journal.failAppends = false;
    await bench.tracker.durable();
    expect(journal.groups.map(textNumbers)).toEqual([[0, 1]]);
    expect(journal.syncGroups).toEqual([]);
  });
});
