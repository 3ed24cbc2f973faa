import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, groupsOf, range, textNumbers, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const INTERVAL_MS = 10;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Events stay in memory, because no batch is due. */
const NONE_DUE = { maxWaitMs: HOUR };
const SOON_DUE = { batch: { maxWaitMs: 1 } };

function createBench(journal: FakeJournal, options: BenchOptions = {}): Bench {
  // The longest waits.
  return new Bench({ journal, commitIntervalMs: INTERVAL_MS, random: () => 1, batch: NONE_DUE, ...options });
}

/** A journal with another one for what it holds. */
class PartedJournal extends FakeJournal {
  readonly held = new FakeJournal();

  part(name: 'dead-letters' | 'unidentified'): FakeJournal | undefined {
    return name === 'unidentified' ? this.held : undefined;
  }
}

describe('durable()', () => {
  it('syncs what is held, too, and rejects if that fails', async () => {
    const journal = new PartedJournal();
    const { tracker } = createBench(journal, { unidentified: { hold: true } });
    tracker.track('viewed');
    await tracker.durable();
    expect(journal.held.calls).toContain('sync');
    journal.held.failSyncs = true;
    await expect(tracker.durable()).rejects.toThrow('not durable');
  });

  it('writes all events at once, and leaves later ones to the interval', async () => {
    const journal = new FakeJournal({ maxEvents: 2, maxBytes: 100_000 });
    const bench = createBench(journal);
    bench.trackNow(5);
    await bench.tracker.durable();
    expect(groupsOf(journal)).toEqual([[0, 1], [2, 3], [4]]);
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS - 1);
    expect(journal.groups).toHaveLength(3);
    await bench.pass(1);
    expect(groupsOf(journal).at(-1)).toEqual([5]);
  });

  it('writes nothing again', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.trackNow(2);
    await bench.tracker.durable();
    await bench.tracker.durable();
    expect(groupsOf(journal)).toEqual([[0, 1]]);
  });

  it('does not wait for events that are tracked later', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const release = journal.hangAppends();
    bench.trackNow(1);
    const durable = watch(bench.tracker.durable());
    await bench.quiet();
    expect(durable.isOver).toBe(false);
    bench.trackNow(1);
    release();
    await bench.quiet();
    expect(durable).toEqual({ isOver: true, value: undefined });
    expect(groupsOf(journal)).toEqual([[0]]);
    expect(bench.tracker.stats().unwritten).toBe(1);
  });

  it('waits for the appends that have begun, and for the events that were tracked after them', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const release = journal.hangAppends();
    for (let number = 0; number < 4; number += 1) {
      bench.trackNow(1);
      await bench.pass(INTERVAL_MS);
    }
    bench.trackNow(1);
    const durable = watch(bench.tracker.durable());
    const releaseLast = journal.hangAppends();
    release();
    await bench.quiet();
    expect(groupsOf(journal)).toEqual([[0], [1], [2], [3]]);
    expect(durable.isOver).toBe(false);
    releaseLast();
    await bench.quiet();
    expect(groupsOf(journal).at(-1)).toEqual([4]);
    expect(durable).toEqual({ isOver: true, value: undefined });
  });

  it('needs one append for many calls at once', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    bench.trackNow(2);
    await Promise.all([bench.tracker.durable(), bench.tracker.durable(), bench.tracker.durable()]);
    expect(groupsOf(journal)).toEqual([[0, 1]]);
    expect(journal.mostAppendsAtOnce).toBe(1);
  });
});

describe('durable(), if the journal fails,', () => {
  it('rejects, and the events are written once the journal works', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    journal.failAppends = true;
    bench.trackNow(2);
    await expect(bench.tracker.durable()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2 });
    journal.failAppends = false;
    await bench.pass(SECOND);
    expect(groupsOf(journal)).toEqual([[0, 1]]);
    await bench.tracker.durable();
  });

  it('writes also an event that has been sent from memory and is not answered', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, SOON_DUE);
    journal.failAppends = true;
    bench.answer(() => new Promise(() => {}));
    await bench.track(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppends = false;
    await bench.tracker.durable();
    expect(journal.texts).toHaveLength(1);
    //');
  });

  it('rejects if the journal does not sync', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    journal.failSyncs = true;
    bench.trackNow(1);
    await expect(bench.tracker.durable()).rejects.toThrow(/not durable: .*scripted failure of sync/);
  });

  it('tries the journal again if only an append failed that had begun before', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const release = journal.hangAppends();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppendsLeft = 1;
    const durable = watch(bench.tracker.durable());
    release();
    await bench.quiet();
    expect(durable).toEqual({ isOver: true, value: undefined });
    expect(groupsOf(journal)).toEqual([[0]]);
  });
});

describe('a tracker whose journal hangs', () => {
  it('keeps all events in memory, and sends them once they are written', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, SOON_DUE);
    const release = journal.hangAppends();
    bench.trackNow(2);
    const durable = watch(bench.tracker.durable());
    const flushed = watch(bench.tracker.flush({ timeoutMs: MINUTE }));
    await bench.pass(HOUR, MINUTE);
    expect(durable.isOver).toBe(false);
    expect(flushed.value).toMatchObject({ delivered: 0, pending: 2 });
    expect(bench.requests).toBe(0);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2 });
    release();
    await bench.pass(1);
    expect(durable).toEqual({ isOver: true, value: undefined });
    expect(textNumbers(journal.texts)).toEqual([0, 1]);
    expect(bench.taken).toEqual(range(0, 2));
  });
});
