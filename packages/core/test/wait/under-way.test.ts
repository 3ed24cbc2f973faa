import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import { Appends } from '../../src/keep/appends.ts';
import { Backlog } from '../../src/wait/backlog.ts';
import { type Batch, splitBatch } from '../../src/wait/batch.ts';
import { writeNow } from '../../src/wait/last-write.ts';
import { UnderWay } from '../../src/wait/under-way.ts';
import { FakeJournal, FakeSyncJournal } from '../bench/fake-journal.ts';
import { textWriter } from '../bench/text-writer.ts';
import { settle } from '../bench/virtual-clock.ts';

const LANE = { committer: { appends: new Appends() } };
const ALL = { maxEvents: 1_000, maxBytes: 100_000 };

interface Bench {
  readonly backlog: Backlog;
  readonly underWay: UnderWay;
  /** Takes events that no journal contains, as a batch under way. */
  readonly send: (...texts: string[]) => Batch;
}

function createBench(
  journal: FakeJournal,
  secure: (events: EventBytes) => Promise<Range | undefined> = (events) => journal.append(events),
): Bench {
  const backlog = new Backlog(ALL, textWriter);
  const underWay = new UnderWay({
    ...{ backlog, journal, secure },
    createAbortController: () => new AbortController(),
  });
  const send = (...texts: string[]): Batch => {
    for (const text of texts) backlog.push(text, 0);
    backlog.markMemoryOnly(texts.length);
    const batch = backlog.takeFresh(ALL);
    underWay.add(batch);
    return batch;
  };
  return { backlog, underWay, send };
}

describe('UnderWay', () => {
  it('gives to the journal what is under way, where it is known from then on', async () => {
    const journal = new FakeJournal();
    const { backlog, underWay, send } = createBench(journal);
    const batch = send('1', '2');
    await underWay.secure();
    expect(journal.groups).toEqual([['1', '2']]);
    expect(batch.range).toMatchObject({ segment: 1, from: 0, to: 2 });
    expect([backlog.memoryOnly, backlog.inFlight]).toEqual([0, 2]);
    expect(backlog.putBack(batch)).toBe(true);
  });

  it('lets go of what waits as soon as the journal has it: others may see to it', async () => {
    const { backlog, underWay, send } = createBench(new FakeJournal());
    const batch = send('1', '2');
    const written = underWay.secureOne(batch);
    underWay.leave(batch);
    expect([underWay.left, backlog.inFlight, backlog.stored]).toEqual([[batch], 2, 0]);
    await written;
    expect([underWay.left, backlog.inFlight, backlog.stored]).toEqual([[], 0, 2]);
    expect(backlog.end({ segment: 1, from: 0, to: 2 })).toBe(2);
  });

  it('keeps the memory of what the journal is given for the journal to read', async () => {
    const { underWay, send } = createBench(new FakeJournal());
    const [given, other] = [send('1'), send('2')];
    expect([given.memory, other.memory]).not.toContain(undefined);
    void underWay.secureOne(given);
    expect(given.memory).toBeUndefined();
    expect(other.memory).toBeDefined();
  });

  it('leaves alone what a journal holds already, and gives nothing twice', async () => {
    const journal = new FakeJournal();
    const { underWay, send } = createBench(journal);
    send('1');
    await underWay.secure();
    await underWay.secure();
    expect(journal.groups).toHaveLength(1);
  });

  it('leaves alone what has met its end', async () => {
    const journal = new FakeJournal();
    const { underWay, send } = createBench(journal);
    underWay.delete(send('1'));
    await underWay.secure();
    expect(journal.groups).toEqual([]);
  });

  it('releases what met its end while it was written, and goes on with the next', async () => {
    const journal = new FakeJournal();
    const { backlog, underWay, send } = createBench(journal);
    const [first] = [send('1'), send('2')];
    const open = journal.hangAppends();
    const secured = underWay.secure();
    await settle();
    underWay.delete(first);
    backlog.settle(first);
    open();
    await secured;
    expect(journal.acknowledged).toMatchObject([{ from: 0, to: 1 }]);
    expect(journal.texts).toEqual(['1', '2']);
    expect([backlog.pending, backlog.memoryOnly]).toEqual([1, 0]);
  });

  it('releases a batch that was cut while it was written, and gives its parts in its place', async () => {
    const journal = new FakeJournal();
    const { backlog, underWay, send } = createBench(journal);
    const batch = send('1', '2');
    const open = journal.hangAppends();
    const secured = underWay.secure();
    await settle();
    underWay.delete(batch);
    const parts = splitBatch(batch);
    for (const part of parts) underWay.add(part);
    open();
    await secured;
    expect(journal.groups).toEqual([['1', '2'], ['1'], ['2']]);
    expect(journal.acknowledged).toMatchObject([{ from: 0, to: 2 }]);
    expect(parts.map(({ range }) => range)).toMatchObject([
      { segment: 1, from: 2, to: 3 },
      { segment: 1, from: 3, to: 4 },
    ]);
    expect([backlog.inFlight, backlog.memoryOnly]).toEqual([2, 0]);
  });

  it('stops where the journal still fails, and gives the rest once it works', async () => {
    const journal = new FakeJournal();
    let works = 1;
    const { backlog, underWay, send } = createBench(journal, async (events) =>
      works-- > 0 ? journal.append(events) : undefined,
    );
    for (const text of ['1', '2', '3']) send(text);
    await underWay.secure();
    expect([journal.texts, backlog.memoryOnly]).toEqual([['1'], 2]);
    works = 10;
    await underWay.secure();
    expect([journal.texts, backlog.memoryOnly]).toEqual([['1', '2', '3'], 0]);
  });

  it('gives all on this thread at the last moment', () => {
    const journal = new FakeSyncJournal();
    const { backlog, underWay, send } = createBench(journal);
    const batches = [send('1', '2'), send('3')];
    writeNow([{ ...LANE, backlog, underWay }], journal);
    expect(journal.syncGroups).toEqual([['1', '2'], ['3']]);
    expect(batches.map(({ range }) => range.segment)).toEqual([2, 2]);
    expect(backlog.memoryOnly).toBe(0);
    writeNow([{ ...LANE, backlog, underWay }], journal);
    expect(journal.syncGroups).toHaveLength(2);
  });

  it('leaves all where it is where the journal cannot do that', () => {
    const journal = new FakeJournal();
    const { backlog, underWay, send } = createBench(journal);
    send('1', '2');
    writeNow([{ ...LANE, backlog, underWay }], journal);
    expect(backlog.memoryOnly).toBe(2);
  });

  it('writes what lies in a segment that is given up to another one', async () => {
    const journal = new FakeJournal();
    const { backlog, underWay, send } = createBench(journal);
    const [one, other] = [send('1', '2'), send('3')];
    await underWay.secure();
    backlog.moveInFlight(one, { segment: 7, from: 0, to: 2 });
    expect(await underWay.rescue(7)).toBe('1,2'.length);
    expect(one.range).toMatchObject({ segment: 1, from: 3, to: 5 });
    expect(other.range).toMatchObject({ segment: 1, from: 2, to: 3 });
    backlog.evict(7);
    expect([backlog.inFlight, backlog.memoryOnly]).toEqual([3, 0]);
  });

  it('writes nothing for what met its end while it was rescued', async () => {
    const journal = new FakeJournal();
    const { underWay, send } = createBench(journal);
    const batch = send('1');
    await underWay.secure();
    const open = journal.hangAppends();
    const rescued = underWay.rescue(1);
    await settle();
    underWay.delete(batch);
    open();
    await rescued;
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 1, to: 2 }]);
  });
});
