import { describe, expect, it } from 'vitest';
import type { Range } from '../../src/base/range.ts';
import type { Journal } from '../../src/keep/journal.ts';
import { SizeLimit } from '../../src/pace/size-limit.ts';
import { Budget } from '../../src/parts/budget.ts';
import { splitBatch } from '../../src/wait/batch.ts';
import type { Lane } from '../../src/wait/lane.ts';
import { Lanes } from '../../src/wait/lanes.ts';
import { writeNow } from '../../src/wait/last-write.ts';
import { toTexts } from '../bench/event-texts.ts';
import { FakeJournal, FakeSyncJournal } from '../bench/fake-journal.ts';
import { SegmentedJournal } from '../bench/segmented-journal.ts';
import { textWriter } from '../bench/text-writer.ts';
import { settle, VirtualClock } from '../bench/virtual-clock.ts';

const ALL = { maxEvents: 1_000, maxBytes: 100_000 };

interface Bench {
  readonly clock: VirtualClock;
  readonly lanes: Lanes;
  readonly dropped: number[];
  readonly failures: unknown[];
  /** Accepts events in a lane, and lets them be written. */
  readonly write: (lane: Lane, ...texts: string[]) => Promise<void>;
}

function createBench(journal: Journal, options: { maxBytes?: number; isStrict?: boolean } = {}): Bench {
  const clock = new VirtualClock();
  const dropped: number[] = [];
  const failures: unknown[] = [];
  const reporter = { settled: (_reason: string, count: number) => count > 0 && dropped.push(count) };
  const lanes: Lanes = new Lanes({
    ...{ buffer: ALL, text: textWriter, journal, clock, random: () => 0.5, limit: ALL },
    ...{ sizeLimit: new SizeLimit(() => {}), isStrict: options.isStrict ?? false },
    ...{ intervalMs: 0, maxWaitMs: 0, maxAgeMs: undefined },
    budget: new Budget({
      ...{ journal, clock, reporter, minFreeBytes: 0, whenFull: 'drop-oldest' },
      maxBytes: options.maxBytes ?? Number.POSITIVE_INFINITY,
      evict: (segment) => lanes.evict(segment),
      rescue: (segment) => lanes.rescue(segment),
    }),
    ...{ onWritten: () => {}, onRecovered: async () => {}, onDue: () => {} },
    ...{ reporter, onFailed: (error) => failures.push(error) },
    createAbortController: () => new AbortController(),
  });
  const write = async (lane: Lane, ...texts: string[]): Promise<void> => {
    for (const text of texts) lane.backlog.push(text, clock.now());
    await lane.committer.commit();
  };
  return { clock, lanes, dropped, failures, write };
}

/** All events that a lane has to send, in order. */
async function drain({ batcher }: Lane): Promise<string[]> {
  const texts: string[] = [];
  const calm = batcher.hurry();
  for (let batch = await batcher.next(); batch !== undefined; batch = await batcher.next()) {
    texts.push(...toTexts(batch.events));
  }
  calm();
  return texts;
}

describe('Lanes', () => {
  it('are one until the first event of high priority, which goes before all others', () => {
    const { lanes } = createBench(new FakeJournal());
    expect(lanes.all).toEqual([lanes.normal]);
    const { high } = lanes;
    expect(high).not.toBe(lanes.normal);
    expect(lanes.high).toBe(high);
    expect(lanes.all).toEqual([high, lanes.normal]);
  });

  it('are one where order is strict', () => {
    const { lanes } = createBench(new FakeJournal(), { isStrict: true });
    expect(lanes.high).toBe(lanes.normal);
    expect(lanes.all).toEqual([lanes.normal]);
  });

  it('count together what waits', async () => {
    const { lanes, write, clock } = createBench(new FakeJournal());
    await write(lanes.normal, '1', '2');
    const oldestAt = clock.now();
    await clock.advance(1_000);
    await write(lanes.high, '3');
    lanes.high.backlog.push('4', clock.now());
    expect(lanes.waiting).toMatchObject({ pending: 4, volatile: 1, stored: 0, inFlight: 0, oldestAt });
  });

  it('are settled together', async () => {
    const { lanes, write } = createBench(new FakeJournal());
    await write(lanes.normal, '1');
    await write(lanes.high, '2');
    const state = { isSettled: false };
    void lanes.settled(new AbortController().signal).then(() => {
      state.isSettled = true;
    });
    for (const { backlog } of lanes.all) {
      await settle();
      expect(state.isSettled).toBe(false);
      backlog.settle(backlog.takeFresh(ALL));
    }
    await settle();
    expect(state.isSettled).toBe(true);
  });

  it('are written together, and say where one goes on in memory', async () => {
    const journal = new FakeJournal();
    const { lanes, write } = createBench(journal);
    await write(lanes.normal, '1');
    await write(lanes.high, '2');
    expect([await lanes.write(), lanes.failing]).toEqual([true, false]);
    journal.failAppends = true;
    lanes.high.backlog.push('3', 0);
    expect([await lanes.write(), lanes.failing]).toEqual([false, true]);
  });

  it('write at the last moment what is under way in the order in which the journal was given it', async () => {
    const journal = new FakeSyncJournal();
    const { lanes } = createBench(journal);
    const { high, normal } = lanes;
    journal.hangAppends();
    for (const [lane, text] of [
      [normal, '1'],
      [high, '2'],
      [normal, '3'],
    ] as const) {
      lane.backlog.push(text, 0);
      void lane.committer.write();
      await settle();
    }
    high.backlog.push('4', 0);
    writeNow(lanes.all, journal);
    expect(journal.syncGroups).toEqual([['1'], ['2'], ['3'], ['4']]);
    expect(lanes.waiting.volatile).toBe(0);
  });

  it('give up what no journal holds, or all where none survives', async () => {
    const { lanes, write } = createBench(new FakeJournal());
    await write(lanes.normal, '1', '2');
    lanes.high.backlog.push('3', 0);
    expect(lanes.giveUp(true, 0)).toBe(1);
    expect(lanes.waiting.pending).toBe(2);
    expect(lanes.giveUp(false, 0)).toBe(2);
    expect(lanes.waiting.pending).toBe(0);
  });
});

describe('Lane, where the segment that holds its events is gone from storage', () => {
  it('writes again what memory still holds of it, be it under way or waiting, and nothing else', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write } = createBench(journal);
    const { backlog, underWay } = lanes.normal;
    await write(lanes.normal, '1', '2', '3', '4');
    await write(lanes.normal, '5');
    const batch = backlog.takeFresh({ ...ALL, maxEvents: 2 });
    underWay.add(batch);
    journal.clear();
    await lanes.lose(1);
    expect(journal.texts).toEqual(['1', '2', '3', '4']);
    expect([backlog.memoryOnly, backlog.volatile, backlog.pending]).toEqual([0, 0, 5]);
    expect(backlog.putBack(batch)).toBe(true);
    expect(await drain(lanes.normal)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('writes again what went back to it from a request, each event once', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write } = createBench(journal);
    const { backlog, underWay } = lanes.normal;
    await write(lanes.normal, '1', '2', '3');
    for (let tries = 0; tries < 2; tries += 1) {
      const batch =
        tries === 0 ? backlog.takeFresh({ ...ALL, maxEvents: 2 }) : await lanes.normal.batcher.next();
      if (batch === undefined) throw new Error('there is no batch');
      underWay.add(batch);
      expect(underWay.putBack(batch, 'first')).toBe(true);
    }
    // Written again, the events are in other segments.
    for (const segments of [[1], [2, 3]]) {
      journal.clear();
      for (const segment of segments) await lanes.lose(segment);
      expect(journal.texts.sort()).toEqual(['1', '2', '3']);
      expect([backlog.memoryOnly, backlog.pending]).toEqual([0, 3]);
      for (const batch of underWay.left.splice(0)) underWay.leave(batch);
    }
    expect((await drain(lanes.normal)).sort()).toEqual(['1', '2', '3']);
  });

  it('keeps what went back to it in memory where the journal fails, and writes it once that works', async () => {
    const journal = new FakeJournal();
    const { clock, lanes, write } = createBench(journal);
    const { backlog, underWay } = lanes.normal;
    await write(lanes.normal, '1', '2', '3');
    const batch = backlog.takeFresh(ALL);
    underWay.add(batch);
    underWay.leave(batch);
    // The batch is taken again, and goes back in parts.
    const again = backlog.takeStored({ events: batch.events, range: { segment: 1, from: 0, to: 3 } });
    underWay.delete(again);
    const [first, second] = splitBatch(again);
    underWay.leave(second);
    underWay.leave(first);
    journal.failAppends = true;
    await lanes.lose(1);
    expect([lanes.failing, backlog.memoryOnly, backlog.stored, backlog.pending]).toEqual([true, 3, 0, 3]);
    journal.failAppends = false;
    await clock.advance(60_000);
    expect([lanes.failing, backlog.memoryOnly, backlog.pending]).toEqual([false, 0, 3]);
    expect(journal.texts).toEqual(['1', '2', '3', '1', '2', '3']);
  });

  it('sends it from memory where the journal fails, and writes it once that works', async () => {
    const journal = new FakeJournal();
    const { clock, lanes, write } = createBench(journal);
    const { backlog } = lanes.normal;
    await write(lanes.normal, '1', '2', '3');
    const batch = backlog.takeFresh({ ...ALL, maxEvents: 1 });
    lanes.normal.underWay.add(batch);
    journal.failAppends = true;
    await lanes.lose(1);
    expect([lanes.failing, backlog.memoryOnly, backlog.fresh]).toEqual([true, 3, 2]);
    journal.failAppends = false;
    await clock.advance(60_000);
    expect([lanes.failing, backlog.memoryOnly, backlog.pending]).toEqual([false, 0, 3]);
    expect(journal.texts).toEqual(['1', '2', '3', '1', '2', '3']);
    expect(backlog.putBack(batch)).toBe(true);
  });

  it('has restored in its place all that memory holds of it, where the journal can do that; appends it where that fails', async () => {
    const restored: Range[] = [];
    const journal: FakeJournal & Pick<Journal, 'restore'> = new FakeJournal();
    journal.restore = async (lost) => void restored.push(...lost.map(({ range }) => range));
    const { lanes, write } = createBench(journal);
    const { backlog, underWay } = lanes.normal;
    await write(lanes.normal, '1', '2', '3', '4');
    for (const maxEvents of [1, 1]) underWay.add(backlog.takeFresh({ ...ALL, maxEvents }));
    const [first] = backlog.batches;
    if (first === undefined) throw new Error('there is no batch');
    underWay.leave(first);
    await lanes.lose(1);
    expect(restored.sort((one, other) => one.from - other.from)).toMatchObject([
      { segment: 1, from: 0, to: 1 },
      { segment: 1, from: 1, to: 2 },
      { segment: 1, from: 2, to: 4 },
    ]);
    expect([backlog.memoryOnly, backlog.stored, backlog.pending]).toEqual([0, 1, 4]);
    journal.restore = () => Promise.reject(new Error('the scripted failure'));
    await lanes.lose(1);
    expect(journal.texts.slice(4).sort()).toEqual(['1', '2', '3', '4']);
    expect([backlog.memoryOnly, backlog.pending]).toEqual([0, 4]);
  });
});

describe('Lane, where the segment that holds its events is about to be given up', () => {
  it('has them written to another place, from which they are sent', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write } = createBench(journal);
    await write(lanes.high, '1', '2', '3');
    await lanes.rescue(1);
    expect(lanes.high.backlog.waitingIn(1)).toEqual([]);
    expect(lanes.high.backlog.waitingIn(2)).toMatchObject([{ from: 0, to: 3 }]);
    await journal.evictOldest();
    expect(lanes.evict(1)).toBe(0);
    expect(await drain(lanes.high)).toEqual(['1', '2', '3']);
  });

  it('releases the copies of those that were taken meanwhile', async () => {
    const journal = new FakeJournal();
    const { lanes, write } = createBench(journal);
    const { high } = lanes;
    await write(high, '1', '2', '3', '4');
    const open = journal.hangAppends();
    const rescued = lanes.rescue(1);
    await settle();
    const batch = high.backlog.takeFresh({ ...ALL, maxEvents: 2 });
    open();
    await rescued;
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 4, to: 6 }]);
    expect(high.backlog.waitingIn(1)).toMatchObject([{ from: 6, to: 8 }]);
    expect(toTexts(batch.events)).toEqual(['1', '2']);
    expect(await drain(high)).toEqual(['3', '4']);
  });

  it('leaves alone what is not in it, and what is not of high priority', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write } = createBench(journal);
    await write(lanes.normal, '1');
    await write(lanes.high, '2');
    await lanes.rescue(1);
    expect(journal.texts).toEqual(['1', '2']);
    expect(lanes.normal.backlog.waitingIn(1)).toHaveLength(1);
  });

  it('says so where that fails, and what is left in it is lost with it', async () => {
    const journal = new FakeJournal();
    const { lanes, write, failures } = createBench(journal);
    await write(lanes.high, '1', '2');
    journal.failReads = true;
    await lanes.rescue(1);
    expect(failures).toHaveLength(1);
    expect(lanes.evict(1)).toBe(2);
    expect(lanes.waiting.pending).toBe(0);
  });
});

describe('Lanes, where the journal is full', () => {
  /** Bytes of one event with a text of 10 characters. */
  const EACH = 10 + 32;
  const text = (name: string, number: number) =>
    `"${name} ${String(number).padStart(8 - name.length - 1, '0')}"`;

  it('give up what is of high priority last', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write, dropped } = createBench(journal, { maxBytes: 10 * EACH });
    for (let number = 0; number < 3; number += 1) await write(lanes.high, text('high', number));
    for (let number = 0; number < 30; number += 1) await write(lanes.normal, text('low', number));
    expect(lanes.high.backlog.pending).toBe(3);
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(30 - 7);
    expect(await drain(lanes.high)).toEqual([0, 1, 2].map((number) => text('high', number)));
    expect(await drain(lanes.normal)).toHaveLength(7);
  });

  it('give up others of high priority for a new one where there is nothing else', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write, dropped } = createBench(journal, { maxBytes: 10 * EACH });
    for (let number = 0; number < 13; number += 1) await write(lanes.high, text('high', number));
    expect(await drain(lanes.high)).toHaveLength(10);
    expect(dropped).toEqual([1, 1, 1]);
  });

  it('takes nothing of high priority for what is not', async () => {
    const journal = new SegmentedJournal();
    const { lanes, write, dropped } = createBench(journal, { maxBytes: 10 * EACH });
    for (let number = 0; number < 10; number += 1) await write(lanes.high, text('high', number));
    await write(lanes.normal, text('low', 0));
    expect([lanes.high.backlog.pending, lanes.normal.backlog.pending]).toEqual([10, 0]);
    expect(dropped).toEqual([1]);
  });
});
