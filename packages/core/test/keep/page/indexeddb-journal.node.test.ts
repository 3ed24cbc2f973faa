import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { platform } from '#platform';
import type { Range } from '../../../src/base/range.ts';
import { IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';
import { VirtualClock } from '../../bench/virtual-clock.ts';
import { describeJournal, group, readAll, Witness } from '../../contracts/journal-contract.ts';

const locks = new FakeLocks();

function create(place: string): IndexedDbJournal {
  return new IndexedDbJournal(place, { locks }, platform.clock);
}

describeJournal('IndexedDbJournal on fake-indexeddb', { create, survives: true, isShared: true });

describe('IndexedDbJournal, where the browser fails', () => {
  afterEach(() => vi.restoreAllMocks());

  const one = group(['1']);
  const two = group(['2']);
  const fail = () => {
    throw new DOMException('the scripted failure', 'UnknownError');
  };

  /** Opens a journal. Returns the events that it reports as settled. */
  async function openToSettled(journal: IndexedDbJournal): Promise<unknown[]> {
    const ended: unknown[] = [];
    await journal.open({
      recovered: () => {},
      damaged: () => {},
      failed: () => {},
      settled: (range, fate) => ended.push([range, fate]),
    });
    return ended;
  }

  /** What the next page finds. */
  async function left(place: string, journal: IndexedDbJournal): Promise<string[]> {
    await journal.close();
    const next = create(place);
    const witness = new Witness();
    await next.open(witness);
    const found = await readAll(next, witness.ranges);
    await next.close();
    return found;
  }

  it('deletes with what is written next what could not be deleted', async () => {
    const journal = create('deleted later');
    const range = await journal.append(one);
    const failing = vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(fail);
    await expect(journal.acknowledge(range)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    failing.mockRestore();
    await journal.append(two);
    expect(await left('deleted later', journal)).toEqual(['2']);
  });

  it('deletes what it stored though it said that it did not', async () => {
    const journal = create('stored nevertheless');
    const { put } = IDBObjectStore.prototype;
    const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      ...given
    ) {
      put.apply(this, given);
      return fail();
    });
    await expect(journal.append(one)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    failing.mockRestore();
    await journal.acknowledge(await journal.append(two));
    expect(await left('stored nevertheless', journal)).toEqual([]);
  });

  it('leaves what is in a request to the life that made it, for as long as that asked for, and says that it was sent', async () => {
    const clock = new VirtualClock();
    const journal = new IndexedDbJournal('sent', { locks }, clock);
    await journal.append(one, 10_000);
    await journal.append(two, 0);
    await journal.append(group(['3']));
    await journal.close();
    const found: [range: Range, wasSent: boolean | undefined][] = [];
    const next = new IndexedDbJournal('sent', { locks }, clock);
    const recovered = (range: Range, _at?: number, wasSent?: boolean) => void found.push([range, wasSent]);
    await next.open({ recovered, damaged: () => {}, failed: () => {} });
    const texts = () =>
      readAll(
        next,
        found.map(([range]) => range),
      );
    expect(await texts()).toEqual(['2', '3']);
    expect(found.splice(0).map(([, wasSent]) => wasSent)).toEqual([true, false]);
    await clock.advance(10_000);
    await next.refresh();
    expect(await texts()).toEqual(['1']);
    expect(found.map(([, wasSent]) => wasSent)).toEqual([true]);
    await next.close();
  });

  it('tells of what is gone where storage was cleared, and has what was under way tried again', async () => {
    const clock = new VirtualClock();
    const journal = new IndexedDbJournal('cleared', { locks }, clock);
    const vanished: number[] = [];
    await journal.open({
      recovered: () => {},
      damaged: () => {},
      failed: () => {},
      vanished: (segment) => vanished.push(segment),
    });
    const range = await journal.append(one);
    await new Promise((resolve) => {
      indexedDB.deleteDatabase('cleared').onsuccess = resolve;
    });
    await expect(journal.append(two)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect([vanished, journal.bytes]).toEqual([[range.segment], 0]);
    await journal.append(two);
    await journal.acknowledge(range);
    expect(await left('cleared', journal)).toEqual(['2']);
    expect(clock.timers).toBe(0);
  });

  it('has once what two pages restore, each as much as it knows, and none of it once one of them releases it', async () => {
    const [owner, other] = [create('restored'), create('restored')];
    await owner.open(new Witness());
    const range = await owner.append(group(['1', '2', '3']));
    const found: Range[] = [];
    const observer = {
      recovered: (place: Range) => void found.push(place),
      damaged: () => {},
      failed: () => {},
    };
    await other.open(observer);
    const [foreign = range] = found;
    await new Promise((resolve) => {
      indexedDB.deleteDatabase('restored').onsuccess = resolve;
    });
    await expect(owner.sync()).rejects.toThrow('cleared');
    await expect(other.sync()).rejects.toThrow('cleared');
    await owner.restore([{ events: group(['1', '2', '3']), range }]);
    await other.restore([{ events: group(['2', '3']), range: { ...foreign, from: 1 } }]);
    const third = create('restored');
    const seen: Range[] = [];
    await third.open({ ...observer, recovered: (place) => void seen.push(place) });
    expect(await readAll(third, seen)).toEqual(['1', '2', '3']);
    await other.acknowledge({ ...foreign, from: 1 });
    expect(await left('restored', third)).toEqual(['1']);
    await Promise.all([owner.close(), other.close()]);
  });

  it('writes in one go what is appended together, all or nothing, before that returns', async () => {
    const journal = create('together');
    await journal.open(new Witness());
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction');
    const puts = vi.spyOn(IDBObjectStore.prototype, 'put');
    const both = () => [one, two].map((events) => journal.append(events));
    const appends = journal.together(both);
    expect([transactions.mock.calls.length, puts.mock.calls.length]).toEqual([1, 2]);
    await Promise.all(appends);
    puts.mockImplementation(fail);
    const failed = await Promise.allSettled(journal.together(both));
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    vi.restoreAllMocks();
    expect(await left('together', journal)).toEqual(['1', '2']);
  });

  it('has written what is appended together within what is already so, once that says so', async () => {
    const journal = create('within');
    await journal.open(new Witness());
    const puts = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(fail);
    const ended = await Promise.allSettled(
      journal.together(() => [journal.append(one), journal.together(() => journal.append(two))]),
    );
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    puts.mockRestore();
    expect(await left('within', journal)).toEqual([]);
  });

  it('lets nothing wait for others in a hidden page, where timers come late', () => {
    const journal = create('hidden');
    expect(journal.gatherMs).toBe(16);
    vi.stubGlobal('document', { visibilityState: 'hidden' });
    expect(journal.gatherMs).toBe(0);
    vi.unstubAllGlobals();
  });

  it('does not sync what went with storage that was cleared', async () => {
    const journal = create('cleared before it was synced');
    await journal.append(one);
    await new Promise((resolve) => {
      indexedDB.deleteDatabase('cleared before it was synced').onsuccess = resolve;
    });
    await expect(journal.sync()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await journal.append(two);
    await journal.sync();
    expect(await left('cleared before it was synced', journal)).toEqual(['2']);
  });

  it('is in memory where it cannot be opened, and finds later what an earlier life left', async () => {
    const before = create('opened later');
    await before.append(one);
    await before.close();
    const clock = new VirtualClock();
    const journal = new IndexedDbJournal('opened later', { locks }, clock);
    const witness = new Witness();
    const failing = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(fail);
    await expect(journal.open(witness)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await clock.advance(30_000);
    expect(journal.kind).toBe('memory');
    failing.mockRestore();
    await expect.poll(() => clock.timers).toBe(1);
    await clock.advance(30_000);
    await expect.poll(() => witness.ranges).toHaveLength(1);
    expect(await readAll(journal, witness.ranges)).toEqual(['1']);
    expect([journal.kind, clock.timers]).toEqual(['indexeddb', 0]);
    await journal.close();
  });

  it('gives up its oldest record, and says which events ended', async () => {
    const journal = create('full');
    const ended = await openToSettled(journal);
    const range = await journal.append(one);
    await journal.append(two);
    expect(await journal.evictOldest()).toBe(true);
    expect([ended, journal.bytes]).toEqual([[[range, 'journal-full']], 1]);
    expect(await left('full', journal)).toEqual(['2']);
    expect(await create('empty').evictOldest()).toBeUndefined();
  });

  it('says of what it is to read, and another life saw to, that it ended there, and no more than that', async () => {
    const journal = create('seen to');
    const ended = await openToSettled(journal);
    const range = await journal.append(one);
    await journal.append(two);
    await journal.acknowledge(range);
    const limit = { maxEvents: 10, maxBytes: 1_000 };
    expect((await journal.read({ ...range, to: 2 }, limit)).range).toEqual(range);
    expect(ended).toEqual([[range, 'delivered']]);
    await journal.close();
  });

  it('syncs with one strict write, which is no event', async () => {
    const journal = create('synced');
    await journal.append(one);
    const begin = vi.spyOn(IDBDatabase.prototype, 'transaction');
    await journal.sync();
    expect(begin.mock.calls.map(([, , options]) => options)).toEqual([{ durability: 'strict' }]);
    expect(await left('synced', journal)).toEqual(['1']);
  });
});
