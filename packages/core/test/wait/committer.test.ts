import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import type { Journal } from '../../src/keep/journal.ts';
import { Budget, type BudgetOptions } from '../../src/parts/budget.ts';
import { Backlog, MEMORY_SEGMENT } from '../../src/wait/backlog.ts';
import { Committer } from '../../src/wait/committer.ts';
import { type LastLane, writeNow } from '../../src/wait/last-write.ts';
import { toTexts } from '../bench/event-texts.ts';
import { FakeJournal, FakeSyncJournal } from '../bench/fake-journal.ts';
import { SegmentedJournal } from '../bench/segmented-journal.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';
import { textWriter } from '../bench/text-writer.ts';
import { settle, VirtualClock } from '../bench/virtual-clock.ts';

const INTERVAL_MS = 10;
const ALL = { maxEvents: 1_000, maxBytes: 1_000_000 };

interface Bench<J extends Journal> {
  readonly clock: VirtualClock;
  readonly backlog: Backlog;
  readonly journal: J;
  readonly committer: Committer;
  /** For `writeNow`, at the end of a process. */
  readonly lane: LastLane;
  readonly errors: unknown[];
  readonly dropped: number[];
  readonly written: () => number;
  /** How often the committer reported that the journal works again. */
  readonly recovered: () => number;
  /** Accepts events, as `track()` does. */
  readonly accept: (...texts: string[]) => void;
}

function createBenchWith<J extends Journal>(
  journal: J,
  clock: VirtualClock = new VirtualClock(),
  time: Clock = clock,
  bounds: Partial<BudgetOptions> = {},
): Bench<J> {
  const backlog = new Backlog({ maxEvents: 10_000, maxBytes: 1_000_000 }, textWriter);
  const errors: unknown[] = [];
  let written = 0;
  let recovered = 0;
  const dropped: number[] = [];
  const reporter = { settled: (_reason: string, count: number) => count > 0 && dropped.push(count) };
  const committer = new Committer({
    backlog,
    journal,
    budget: new Budget({
      ...{ evict: (segment: number) => backlog.evict(segment), rescue: async () => 0 },
      ...{ journal, clock: time, reporter, opened: async () => {} },
      ...{ maxBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0, whenFull: 'drop-oldest', ...bounds },
    }),
    reporter,
    clock: time,
    // Makes every wait as long as possible.
    random: () => 1,
    intervalMs: INTERVAL_MS,
    onWritten: () => {
      written += 1;
    },
    onFailed: (error) => errors.push(error),
    onRecovered: async () => {
      recovered += 1;
    },
  });
  const accept = (...texts: string[]): void => {
    for (const text of texts) {
      backlog.push(text, time.now());
      committer.notify();
    }
  };
  const counts = { written: () => written, recovered: () => recovered };
  const lane: LastLane = { backlog, committer, underWay: { *in() {} } };
  return { clock, backlog, journal, committer, lane, errors, dropped, ...counts, accept };
}

function createBench(): Bench<FakeJournal> {
  return createBenchWith(new FakeJournal());
}

function watch(promise: Promise<unknown>): { isDone: boolean } {
  const seen = { isDone: false };
  void promise.then(() => {
    seen.isDone = true;
  });
  return seen;
}

describe('Committer', () => {
  it('sets no timer while nothing waits', async () => {
    const { clock, committer, journal } = createBench();
    await committer.commit();
    expect(clock.timers).toBe(0);
    expect(journal.calls).toEqual([]);
  });

  it('writes what came within the interval in one append, with one timer', async () => {
    const { clock, journal, accept, backlog, written } = createBench();
    accept('1', '2');
    await clock.advance(INTERVAL_MS - 1);
    accept('3');
    expect(clock.timers).toBe(1);
    expect(journal.groups).toEqual([]);
    await clock.advance(1);
    expect(journal.groups).toEqual([['1', '2', '3']]);
    expect([backlog.unwritten, backlog.fresh]).toEqual([0, 3]);
    expect(written()).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('counts the interval from the first event, however many follow', async () => {
    const { clock, journal, accept } = createBench();
    for (let ms = 0; ms < INTERVAL_MS; ms += 1) {
      accept(`${ms}`);
      await clock.advance(1);
    }
    expect(journal.groups).toHaveLength(1);
  });

  it('writes the next groups while one is synced, and what comes meanwhile together behind them', async () => {
    const { clock, journal, accept, backlog } = createBench();
    const release = journal.hangAppends();
    for (const text of ['1', '2', '3', '4', '5', '6']) {
      accept(text);
      await clock.advance(INTERVAL_MS);
    }
    expect(journal.mostAppendsAtOnce).toBe(4);
    release();
    await clock.advance(INTERVAL_MS);
    expect(journal.groups).toEqual([['1'], ['2'], ['3'], ['4'], ['5', '6']]);
    expect(journal.mostAppendsAtOnce).toBe(4);
    expect(backlog.unwritten).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('writes no more at once than the journal takes', async () => {
    const { clock, journal, accept } = createBenchWith(new FakeJournal({ maxEvents: 2, maxBytes: 6 }));
    accept('1', '2', '3', '4444', '5555', '66666666');
    await clock.advance(INTERVAL_MS);
    expect(journal.groups).toEqual([['1', '2'], ['3', '4444'], ['5555'], ['66666666']]);
  });

  it('tells that events can be sent after each group', async () => {
    const { clock, accept, written } = createBenchWith(new FakeJournal({ maxEvents: 2, maxBytes: 100 }));
    accept('1', '2', '3');
    await clock.advance(INTERVAL_MS);
    expect(written()).toBe(2);
  });

  it('is not thrown off by events that are sent or spilled while it writes', async () => {
    const { clock, journal, accept, backlog } = createBench();
    accept('1', '2');
    await clock.advance(INTERVAL_MS);
    const release = journal.hangAppends();
    accept('3', '4');
    await clock.advance(INTERVAL_MS);
    backlog.settle(backlog.takeFresh(ALL));
    accept('5');
    release();
    await clock.advance(INTERVAL_MS);
    expect(journal.groups).toEqual([['1', '2'], ['3', '4'], ['5']]);
    expect([backlog.unwritten, backlog.fresh, backlog.pending]).toEqual([0, 3, 3]);
  });

  describe('where the journal writes several groups in one go', () => {
    const GATHER_MS = 4;
    /** One such text is enough for a write. */
    const LARGE = 'x'.repeat(125_000);

    class GatheringJournal extends FakeJournal {
      readonly gatherMs = GATHER_MS;
      /** How many appends each call of `together` made. */
      readonly joint: number[] = [];

      together<Result>(work: () => Result): Result {
        const before = this.calls.length;
        const result = work();
        this.joint.push(this.calls.length - before);
        return result;
      }
    }

    it('lets what is enough for a write wait for more, and writes all of it together', async () => {
      const limit = { maxEvents: 1, maxBytes: 1_000_000 };
      const { clock, committer, journal, accept } = createBenchWith(new GatheringJournal(limit));
      accept(LARGE);
      await committer.write();
      accept(LARGE);
      await clock.advance(GATHER_MS - 1);
      accept(LARGE);
      expect([clock.timers, journal.texts.length]).toEqual([2, 1]);
      await clock.advance(1);
      expect(journal.texts).toHaveLength(3);
      expect(journal.joint).toContain(2);
    });

    it('keeps none waiting for longer than the interval', async () => {
      const { clock, journal, accept } = createBenchWith(new GatheringJournal());
      accept('1');
      await clock.advance(INTERVAL_MS - 1);
      accept(LARGE);
      await clock.advance(1);
      expect(journal.groups).toEqual([['1', LARGE]]);
    });

    it('does not wait with four times as much, or what is urgent', async () => {
      const { clock, committer, journal, accept } = createBenchWith(new GatheringJournal());
      accept(LARGE, LARGE, LARGE, LARGE);
      await clock.advance(0);
      expect(journal.texts).toHaveLength(4);
      accept(LARGE);
      committer.notify(true);
      await clock.advance(0);
      expect(journal.texts).toHaveLength(5);
    });

    it('leaves a journal that failed meanwhile alone', async () => {
      const { clock, committer, journal, accept, errors } = createBenchWith(new GatheringJournal());
      accept('1', LARGE);
      journal.failAppends = true;
      expect(await committer.write()).toBe(false);
      await clock.advance(GATHER_MS);
      expect(errors).toHaveLength(1);
    });

    it('has no timer left once all is written, or it is stopped', async () => {
      const { clock, committer, accept } = createBenchWith(new GatheringJournal());
      accept(LARGE);
      await committer.write();
      expect(clock.timers).toBe(0);
      accept(LARGE);
      committer.stop();
      expect(clock.timers).toBe(0);
    });
  });

  it('has no timer left once it is stopped', () => {
    const { clock, committer, accept } = createBench();
    accept('1');
    committer.stop();
    expect(clock.timers).toBe(0);
  });
});

describe('commit', () => {
  it('writes at once', async () => {
    const { clock, journal, committer, accept } = createBench();
    const before = clock.now();
    accept('1', '2');
    await committer.commit();
    expect(journal.groups).toEqual([['1', '2']]);
    expect(clock.now()).toBe(before);
  });

  it('needs no notice of the events', async () => {
    const { journal, committer, backlog } = createBench();
    backlog.push('1', 0);
    await committer.commit();
    expect(journal.texts).toEqual(['1']);
  });

  it('waits for what was accepted before, not for what comes later', async () => {
    const { journal, committer, accept, backlog } = createBench();
    const release = journal.hangAppends();
    accept('1');
    const commit = watch(committer.commit());
    await settle();
    expect(commit.isDone).toBe(false);
    accept('2');
    release();
    await settle();
    expect(commit.isDone).toBe(true);
    expect(journal.groups).toEqual([['1']]);
    expect(backlog.unwritten).toBe(1);
  });

  it('waits for the writes that are under way and for what came after they began', async () => {
    const { clock, journal, committer, accept } = createBench();
    const release = journal.hangAppends();
    for (const text of ['1', '2', '3', '4']) {
      accept(text);
      await clock.advance(INTERVAL_MS);
    }
    accept('5');
    const commit = watch(committer.commit());
    const releaseAgain = journal.hangAppends();
    release();
    await settle();
    expect(journal.groups).toEqual([['1'], ['2'], ['3'], ['4']]);
    expect(commit.isDone).toBe(false);
    releaseAgain();
    await settle();
    expect(journal.groups).toEqual([['1'], ['2'], ['3'], ['4'], ['5']]);
    expect(commit.isDone).toBe(true);
  });

  it('counts what was written in the order of the appends, also where a later one ends first', async () => {
    const { clock, journal, accept, backlog } = createBenchWith(
      new FakeJournal({ maxEvents: 1, maxBytes: 100 }),
    );
    const release = journal.hangAppends();
    accept('1');
    await clock.advance(INTERVAL_MS);
    journal.hangAppends()();
    accept('2');
    await clock.advance(INTERVAL_MS);
    expect([journal.texts, backlog.unwritten]).toEqual([['2'], 2]);
    release();
    await settle();
    expect([journal.texts, backlog.unwritten]).toEqual([['2', '1'], 0]);
    expect(backlog.takeFresh({ maxEvents: 1, maxBytes: 100 }).range).toMatchObject({ from: 1, to: 2 });
  });

  it('writes again what was under way when one before it failed, and releases what the journal took of it', async () => {
    const { clock, journal, accept, backlog, committer } = createBench();
    const release = journal.hangAppends();
    accept('1');
    await clock.advance(INTERVAL_MS);
    accept('2');
    await clock.advance(INTERVAL_MS);
    journal.failAppendsLeft = 1;
    release();
    await settle();
    expect(backlog.unwritten).toBe(2);
    await committer.commit();
    expect(journal.groups).toEqual([['2'], ['1', '2']]);
    expect(journal.acknowledged).toEqual([{ segment: 1, from: 0, to: 1 }]);
    expect(backlog.unwritten).toBe(0);
  });

  it('takes as many writes as it needs', async () => {
    const { journal, committer, accept } = createBenchWith(new FakeJournal({ maxEvents: 2, maxBytes: 100 }));
    accept('1', '2', '3', '4', '5');
    await committer.commit();
    expect(journal.groups).toEqual([['1', '2'], ['3', '4'], ['5']]);
  });

  it('may be called many times at once', async () => {
    const { journal, committer, accept } = createBench();
    accept('1', '2');
    await Promise.all([committer.commit(), committer.commit(), committer.commit()]);
    expect(journal.groups).toEqual([['1', '2']]);
    expect(journal.mostAppendsAtOnce).toBe(1);
  });

  it('leaves what comes later to the interval', async () => {
    const { clock, journal, committer, accept } = createBench();
    accept('1');
    await committer.commit();
    accept('2');
    await clock.advance(INTERVAL_MS);
    expect(journal.groups).toEqual([['1'], ['2']]);
    await clock.advance(INTERVAL_MS);
    expect(clock.timers).toBe(0);
  });
});

describe('Committer, where the journal fails', () => {
  it('lets events go on in memory, tells of it, and loses none', async () => {
    const { clock, journal, committer, accept, backlog, errors, written } = createBench();
    journal.failAppends = true;
    accept('1', '2');
    await clock.advance(INTERVAL_MS);
    expect(errors).toEqual([expect.objectContaining({ code: 'SLUICE_STORAGE' })]);
    expect(committer.failing).toBe(true);
    expect(written()).toBe(1);
    expect([backlog.unwritten, backlog.fresh, backlog.pending]).toEqual([2, 2, 2]);
    const { events, range } = backlog.takeFresh(ALL);
    expect([backlog.unwritten, backlog.fresh, backlog.pending]).toEqual([0, 0, 2]);
    expect(toTexts(events)).toEqual(['1', '2']);
    expect(range.segment).toBe(MEMORY_SEGMENT);
  });

  it('resolves commit() all the same', async () => {
    const { journal, committer, accept } = createBench();
    journal.failAppends = true;
    accept('1');
    await committer.commit();
    expect(committer.failing).toBe(true);
  });

  it('leaves the journal alone until its time has come, then writes what is still in memory', async () => {
    const { clock, journal, committer, accept, backlog, errors } = createBench();
    journal.failAppends = true;
    accept('1');
    await clock.advance(INTERVAL_MS);
    journal.failAppends = false;
    accept('2');
    await clock.advance(999);
    expect(journal.calls).toEqual(['append']);
    expect(errors).toHaveLength(1);
    expect(committer.failing).toBe(true);
    await clock.advance(1);
    expect(journal.groups).toEqual([['1', '2']]);
    expect(committer.failing).toBe(false);
    const { events, range } = backlog.takeFresh(ALL);
    expect(toTexts(events)).toEqual(['1', '2']);
    expect(range.segment).not.toBe(MEMORY_SEGMENT);
    expect(clock.timers).toBe(0);
  });

  it('tries again once those end that were under way with the one that failed, however late', async () => {
    const { clock, journal, accept, backlog } = createBench();
    const failFirst = journal.hangAppends();
    accept('1');
    await clock.advance(INTERVAL_MS);
    const endSecond = journal.hangAppends();
    accept('2');
    await clock.advance(INTERVAL_MS);
    journal.failAppendsLeft = 1;
    failFirst();
    await clock.advance(1_000);
    expect([journal.groups, backlog.unwritten]).toEqual([[], 2]);
    endSecond();
    await settle();
    expect([journal.groups, backlog.unwritten]).toEqual([[['2'], ['1', '2']], 0]);
    expect(clock.timers).toBe(0);
  });

  it('does not let events be taken from under the journal while it tries again', async () => {
    const { clock, journal, accept, backlog } = createBench();
    journal.failAppends = true;
    accept('1');
    await clock.advance(INTERVAL_MS);
    expect(backlog.fresh).toBe(1);
    journal.failAppends = false;
    const release = journal.hangAppends();
    await clock.advance(1_000);
    expect(backlog.fresh).toBe(0);
    release();
    await settle();
    expect(backlog.fresh).toBe(1);
    expect(backlog.takeFresh(ALL).range.segment).not.toBe(MEMORY_SEGMENT);
  });

  it('tries once more for a commit() that is asked for, whatever the time', async () => {
    const { clock, journal, committer, accept } = createBench();
    journal.failAppends = true;
    accept('1');
    await clock.advance(INTERVAL_MS);
    journal.failAppends = false;
    await committer.commit();
    expect(journal.groups).toEqual([['1']]);
  });

  it('tries the journal less and less often, at the least once a minute', async () => {
    const { clock, journal, accept } = createBench();
    journal.failAppends = true;
    const tries: number[] = [];
    accept('1');
    await clock.advance(INTERVAL_MS);
    for (let second = 0; tries.length < 10; second += 1) {
      if (journal.calls.length > tries.length) tries.push(second);
      accept(`${second}`);
      await clock.advance(1_000);
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });

  it('begins with short waits again after it worked', async () => {
    const { clock, journal, committer, accept } = createBench();
    const commit = async (text: string): Promise<void> => {
      accept(text);
      await committer.commit();
    };
    journal.failAppends = true;
    await commit('1');
    await clock.advance(1_000);
    await commit('2');
    await clock.advance(2_000);
    journal.failAppends = false;
    await commit('3');
    journal.failAppends = true;
    await commit('4');
    journal.failAppends = false;
    await clock.advance(1_000);
    await commit('5');
    expect(journal.texts).toEqual(['3', '5']);
  });

  it('is not kept from the journal for hours by a time of day that was set back', async () => {
    const clock = new VirtualClock();
    const skewed = new SkewedClock(clock);
    const { journal, committer, accept } = createBenchWith(new FakeJournal(), clock, skewed);
    journal.failAppends = true;
    accept('1');
    await committer.commit();
    journal.failAppends = false;
    skewed.skewMs = -24 * 60 * 60_000;
    await clock.advance(60_000);
    accept('2');
    await committer.commit();
    expect(journal.texts).toEqual(['2']);
  });

  it('takes a journal that throws in place of rejecting for one that fails', async () => {
    class ThrowingJournal extends FakeJournal {
      override append(): never {
        throw new Error('not even a promise');
      }
    }
    const { committer, accept, backlog, errors } = createBenchWith(new ThrowingJournal());
    accept('1');
    await committer.commit();
    expect(errors).toEqual([new Error('not even a promise')]);
    expect(backlog.fresh).toBe(1);
  });

  it('keeps events waiting in memory while the journal hangs', async () => {
    const { clock, journal, committer, accept, backlog, written } = createBench();
    const release = journal.hangAppends();
    accept('1', '2');
    const commit = watch(committer.commit());
    await clock.advance(60 * 60_000);
    expect(commit.isDone).toBe(false);
    expect([backlog.unwritten, backlog.pending, written()]).toEqual([2, 2, 0]);
    release();
    await settle();
    expect(commit.isDone).toBe(true);
    expect(journal.texts).toEqual(['1', '2']);
  });
});

describe('writeNow', () => {
  it('writes what waits on the thread of its caller, group by group', () => {
    const { lane, journal, accept, backlog } = createBenchWith(
      new FakeSyncJournal({ maxEvents: 2, maxBytes: 100 }),
    );
    accept('1', '2', '3');
    writeNow([lane], journal);
    expect(journal.syncGroups).toEqual([['1', '2'], ['3']]);
    expect([backlog.unwritten, backlog.fresh]).toEqual([0, 3]);
  });

  it('leaves what is written alone', async () => {
    const { lane, committer, journal, accept } = createBenchWith(new FakeSyncJournal());
    accept('1');
    await committer.commit();
    writeNow([lane], journal);
    expect(journal.syncGroups).toEqual([]);
    accept('2');
    writeNow([lane], journal);
    expect(journal.syncGroups).toEqual([['2']]);
  });

  it('writes also what an append under way may not have written: twice is better than never', async () => {
    const { lane, clock, journal, accept } = createBenchWith(new FakeSyncJournal());
    journal.hangAppends();
    accept('1');
    await clock.advance(INTERVAL_MS);
    accept('2');
    writeNow([lane], journal);
    expect(journal.syncGroups).toEqual([['1'], ['2']]);
  });

  it('leaves nothing to be written twice that was about to be handed on, should the process go on', async () => {
    let look = (): void => {};
    class DiskJournal extends FakeSyncJournal {
      space(): Promise<{ freeBytes: number; totalBytes: number }> {
        return new Promise((resolve) => {
          look = () => resolve({ freeBytes: 1_000_000, totalBytes: 1_000_000 });
        });
      }
    }
    const { lane, clock, committer, journal, accept, backlog } = createBenchWith(new DiskJournal());
    accept('1', '2');
    await clock.advance(INTERVAL_MS);
    writeNow([lane], journal);
    look();
    await settle();
    expect([journal.syncGroups, journal.groups, backlog.unwritten]).toEqual([[['1', '2']], [], 0]);
    accept('3');
    await committer.commit();
    expect([journal.groups, backlog.fresh]).toEqual([[['3']], 3]);
  });

  it('does nothing where the journal cannot do that', () => {
    const { lane, journal, accept, backlog } = createBench();
    accept('1');
    writeNow([lane], journal);
    expect(journal.calls).toEqual([]);
    expect(backlog.unwritten).toBe(1);
  });

  it('throws where the journal fails', () => {
    const { lane, journal, accept, backlog } = createBenchWith(new FakeSyncJournal());
    journal.failAppends = true;
    accept('1');
    expect(() => writeNow([lane], journal)).toThrow('scripted');
    expect(backlog.unwritten).toBe(1);
  });

  it('tries also a journal that is left alone because it failed before: it is the last chance', async () => {
    const { lane, committer, journal, accept } = createBenchWith(new FakeSyncJournal());
    journal.failAppends = true;
    accept('1');
    await committer.commit();
    journal.failAppends = false;
    accept('2');
    writeNow([lane], journal);
    expect(journal.syncGroups.flat()).toContain('2');
  });
});

describe('write', () => {
  it('resolves to true once all that was accepted before is written', async () => {
    const { journal, committer, accept } = createBench();
    accept('1', '2');
    expect(await committer.write()).toBe(true);
    expect(journal.groups).toEqual([['1', '2']]);
    expect(await committer.write()).toBe(true);
    expect(journal.groups).toHaveLength(1);
  });

  it('resolves to false where the journal fails, and gives nothing up', async () => {
    const { clock, journal, committer, accept, backlog } = createBench();
    journal.failAppends = true;
    accept('1', '2');
    expect(await committer.write()).toBe(false);
    expect([backlog.unwritten, backlog.memoryOnly, backlog.pending]).toEqual([2, 0, 2]);
    journal.failAppends = false;
    await clock.advance(1_000);
    expect(journal.groups).toEqual([['1', '2']]);
  });

  it('gives nothing up for good, as commit() does, which nobody may wait for again', async () => {
    const { clock, journal, committer, accept, backlog } = createBench();
    journal.failAppends = true;
    accept('1', '2');
    await committer.commit();
    expect([backlog.unwritten, backlog.memoryOnly, backlog.pending]).toEqual([0, 2, 2]);
    journal.failAppends = false;
    await clock.advance(1_000);
    expect(journal.groups).toEqual([]);
    expect(await committer.write()).toBe(true);
  });

  it('asks the journal itself where a try was under way that fails', async () => {
    const { clock, journal, committer, accept } = createBench();
    const release = journal.hangAppends();
    accept('1');
    await clock.advance(INTERVAL_MS);
    journal.failAppendsLeft = 1;
    const written = committer.write();
    release();
    expect(await written).toBe(true);
    expect(journal.groups).toEqual([['1']]);
  });
});

describe('Committer, where the journal is full', () => {
  const OF_THREE = { maxBytes: 100 };

  it('drops what is new, counts it, and goes on without it', async () => {
    const bounds = { ...OF_THREE, whenFull: 'drop-newest' } as const;
    const { accept, committer, journal, backlog, dropped } = createBenchWith(
      new SegmentedJournal(),
      ...[undefined, undefined, bounds],
    );
    accept('1', '2');
    await committer.commit();
    accept('3', '4');
    await committer.commit();
    // As many as fit are kept: the oldest ones.
    expect(journal.texts).toEqual(['1', '2', '3']);
    expect(dropped).toEqual([1]);
    expect([backlog.pending, backlog.unwritten, backlog.fresh]).toEqual([3, 0, 3]);
    expect(committer.failing).toBe(false);
    accept('5');
    await committer.commit();
    expect(journal.texts).toEqual(['1', '2', '3']);
    expect(dropped).toEqual([1, 1]);
    expect(toTexts(backlog.takeFresh(ALL).events)).toEqual(['1', '2']);
    expect(toTexts(backlog.takeFresh(ALL).events)).toEqual(['3']);
    expect(backlog.pending).toBe(3);
  });

  it('drops what is old, counts it, and sends none of it', async () => {
    const { accept, committer, journal, backlog, dropped } = createBenchWith(
      new SegmentedJournal(),
      ...[undefined, undefined, OF_THREE],
    );
    for (const text of ['1', '2', '3', '4', '5']) {
      accept(text);
      await committer.commit();
    }
    expect(journal.texts).toEqual(['3', '4', '5']);
    expect(dropped).toEqual([1, 1]);
    expect([backlog.pending, backlog.fresh]).toEqual([3, 3]);
    expect(toTexts(backlog.takeFresh(ALL).events)).toEqual(['3']);
  });

  it('drops the one group that could never fit, and nothing else', async () => {
    const { accept, committer, journal, dropped } = createBenchWith(
      new SegmentedJournal(),
      ...[undefined, undefined, OF_THREE],
    );
    accept('1');
    await committer.commit();
    accept('x'.repeat(200));
    await committer.commit();
    expect(journal.texts).toEqual(['1']);
    expect(dropped).toEqual([1]);
  });

  it('waits for the writes under way before it gives up anything', async () => {
    class CountingJournal extends FakeJournal {
      override get bytes(): number {
        return this.texts.length * 33;
      }
    }
    const journal = new CountingJournal({ maxEvents: 1, maxBytes: 100 });
    const { clock, accept, dropped, backlog } = createBenchWith(journal, undefined, undefined, {
      maxBytes: 70,
    });
    const release = journal.hangAppends();
    accept('1', '2');
    await clock.advance(INTERVAL_MS);
    expect(journal.mostAppendsAtOnce).toBe(2);
    accept('3');
    await clock.advance(INTERVAL_MS);
    expect(dropped).toEqual([]);
    release();
    await settle();
    expect(dropped).toEqual([1]);
    expect([journal.texts, backlog.pending]).toEqual([['1', '2'], 2]);
  });
});

describe('Committer, where the disk has too little left for others', () => {
  const low = async () => ({ freeBytes: 10, totalBytes: 1_000_000 });
  const roomy = async () => ({ freeBytes: 900_000, totalBytes: 1_000_000 });

  it('sends events from memory, says why, and writes those that are left once there is room', async () => {
    const journal = new SegmentedJournal();
    journal.disk = low;
    const { clock, accept, committer, backlog, errors, dropped, written } = createBenchWith(
      journal,
      ...[undefined, undefined, { minFreeBytes: 5 }],
    );
    accept('1', '2');
    await clock.advance(INTERVAL_MS);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'SLUICE_STORAGE',
        message: expect.stringContaining('too little room'),
      }),
    ]);
    expect(committer.failing).toBe(true);
    expect([backlog.fresh, backlog.unwritten, dropped]).toEqual([2, 2, []]);
    expect(toTexts(backlog.takeFresh({ ...ALL, maxEvents: 1 }).events)).toEqual(['1']);
    journal.disk = roomy;
    await clock.advance(1_000);
    expect(committer.failing).toBe(false);
    expect(journal.texts).toEqual(['2']);
    expect(backlog.takeFresh(ALL).range.segment).not.toBe(MEMORY_SEGMENT);
    expect(written()).toBeGreaterThan(0);
  });

  it('does not keep commit() waiting', async () => {
    const journal = new SegmentedJournal();
    journal.disk = low;
    const { accept, committer, backlog } = createBenchWith(
      journal,
      ...[undefined, undefined, { minFreeBytes: 5 }],
    );
    accept('1');
    await committer.commit();
    expect(backlog.fresh).toBe(1);
  });

  it('takes a journal that fails to give up its oldest segment for one that fails', async () => {
    class ReadOnlyJournal extends SegmentedJournal {
      override async evictOldest(): Promise<number | undefined> {
        throw new Error('EROFS');
      }
    }
    const { accept, committer, backlog, errors } = createBenchWith(
      new ReadOnlyJournal(),
      ...[undefined, undefined, { maxBytes: 40 }],
    );
    accept('1');
    await committer.commit();
    accept('2');
    await committer.commit();
    expect(errors).toHaveLength(1);
    expect(committer.failing).toBe(true);
    expect(backlog.pending).toBe(2);
  });

  it('counts no event twice where one commit() gives up and another tries again', async () => {
    class StalledJournal extends FakeJournal {
      stall: Promise<void> | undefined;
      async space(): Promise<{ freeBytes: number; totalBytes: number }> {
        await this.stall;
        return roomy();
      }
    }
    const journal = new StalledJournal();
    const { clock, accept, committer, backlog } = createBenchWith(journal);
    const release = journal.hangAppends();
    accept('1', '2');
    const first = committer.commit();
    await settle();
    const second = committer.commit();
    await clock.advance(1_000);
    let resume = (): void => {};
    journal.stall = new Promise((resolve) => {
      resume = resolve;
    });
    journal.failAppendsLeft = 1;
    release();
    await settle();
    resume();
    await Promise.all([first, second]);
    expect([backlog.unwritten, backlog.pending, backlog.accepted]).toEqual([0, 2, 2]);
    expect(backlog.written).toBe(2);
  });
});

describe('Committer, once the journal works again', () => {
  it('says so once', async () => {
    const { clock, journal, accept, recovered } = createBench();
    accept('1');
    await clock.advance(INTERVAL_MS);
    expect(recovered()).toBe(0);
    journal.failAppends = true;
    accept('2');
    await clock.advance(INTERVAL_MS);
    journal.failAppends = false;
    await clock.advance(1_000);
    accept('3');
    await clock.advance(INTERVAL_MS);
    expect([journal.texts, recovered()]).toEqual([['1', '2', '3'], 1]);
  });

  it('writes what was sent from memory meanwhile and has no answer yet', async () => {
    const { clock, journal, committer, accept, backlog } = createBench();
    journal.failAppends = true;
    accept('1', '2');
    await clock.advance(INTERVAL_MS);
    const batch = backlog.takeFresh(ALL);
    const { events, range } = batch;
    expect(await committer.secure(events)).toBeUndefined();
    journal.failAppends = false;
    accept('3');
    await committer.commit();
    const written = await committer.secure(events);
    if (written === undefined) throw new Error('it was not written');
    expect(journal.groups).toEqual([['3'], ['1', '2']]);
    backlog.moveInFlight(batch, written);
    expect(batch.range).toEqual({ ...written, epoch: range.epoch, at: range.at });
    expect([backlog.memoryOnly, backlog.inFlight, backlog.pending]).toEqual([0, 2, 3]);
    expect(backlog.putBack(batch)).toBe(true);
    expect([backlog.stored, backlog.inFlight, backlog.pending]).toEqual([2, 0, 3]);
  });

  it('leaves in memory what the journal has no room for, or does not take', async () => {
    const { journal, committer, backlog, accept } = createBenchWith(
      new FakeJournal(),
      ...[undefined, undefined, { maxBytes: 10 }],
    );
    accept('1');
    const group = backlog.unwrittenGroup(ALL);
    if (group === undefined) throw new Error('nothing is to be written');
    expect(await committer.secure(group)).toBeUndefined();
    const other = createBench();
    other.journal.failAppends = true;
    expect(await other.committer.secure(group)).toBeUndefined();
    expect(journal.groups).toEqual([]);
  });

  it('is tried before its time with what somebody asks for, who is told; and then works again', async () => {
    const { clock, journal, committer, accept, errors, recovered, backlog } = createBench();
    journal.failAppends = true;
    accept('1');
    await clock.advance(INTERVAL_MS);
    const { events } = backlog.takeFresh(ALL);
    expect(await committer.secure(events, true)).toBeUndefined();
    expect([errors.length, recovered()]).toEqual([2, 0]);
    journal.failAppends = false;
    expect(await committer.secure(events)).toBeUndefined();
    expect(await committer.secure(events, true)).toMatchObject({ from: 0, to: 1 });
    expect([committer.failing, recovered(), clock.timers]).toEqual([false, 1, 0]);
  });

  it('writes what came while it failed as soon as something else shows that it works again', async () => {
    const { clock, journal, committer, accept, backlog } = createBench();
    journal.failAppends = true;
    accept('1');
    await clock.advance(INTERVAL_MS);
    const { events } = backlog.takeFresh(ALL);
    accept('2');
    await clock.advance(INTERVAL_MS);
    journal.failAppends = false;
    await committer.secure(events, true);
    await settle();
    expect([journal.groups, backlog.unwritten]).toEqual([[['1'], ['2']], 0]);
    expect(clock.timers).toBe(0);
  });
});

describe('Committer, with a journal that breaks its word', () => {
  it.each([undefined, { segment: 1, from: 0, to: 0 }, { segment: 1, from: 0, to: Number.NaN }])(
    'takes the range %j for a failure, and goes on in memory',
    async (range) => {
      const journal = new FakeSyncJournal();
      journal.append = async () => range as never;
      journal.appendSync = () => range as never;
      const { lane, committer, backlog, errors, accept } = createBenchWith(journal);
      accept('1', '2');
      await committer.commit();
      expect(errors).toHaveLength(1);
      accept('3');
      // Neither call may loop forever.
      expect(() => writeNow([lane], journal)).toThrow('no range for 1 events');
      expect(backlog.pending).toBe(3);
    },
  );
});
