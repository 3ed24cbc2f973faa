import { systemClock } from '@sluice/protocol/toolbox';
import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Range } from '../../../src/base/range.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { createIndexedDbJournal, type IndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { IndexedDbStore } from '../../../src/keep/page/indexeddb-store.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';
import { FakeStorage } from '../../bench/fake-storage.ts';
import { describeJournal, group, readAll, Witness } from '../../contracts/journal-contract.ts';

const locks = new FakeLocks();

function create(place: string): IndexedDbJournal {
  return createIndexedDbJournal(place, { locks }, systemClock);
}

describeJournal('IndexedDbJournal on fake-indexeddb', { create, survives: true, isShared: true });

/** How long a page must be there to send again what may have arrived. */
const STAY_MS = 5_000;

describe('IndexedDbJournal, where the browser fails', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

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

  /** Storage says that it fails to store, and stores. */
  function storeAndFail(): { mockRestore(): void } {
    const { put } = IDBObjectStore.prototype;
    return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      ...given
    ) {
      put.apply(this, given);
      return fail();
    });
  }

  it('deletes what it stored though it said that it did not', async () => {
    const journal = create('stored nevertheless');
    const failing = storeAndFail();
    await expect(journal.append(one)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    failing.mockRestore();
    await journal.acknowledge(await journal.append(two));
    expect(await left('stored nevertheless', journal)).toEqual([]);
  });

  it('has once what it restored though it said that it did not, and was appended again', async () => {
    const journal = create('restored nevertheless');
    const range = await journal.append(one);
    const failing = storeAndFail();
    await expect(journal.restore([{ events: one, range }])).rejects.toThrow('cannot store');
    failing.mockRestore();
    await journal.append(one);
    expect(await left('restored nevertheless', journal)).toEqual(['1']);
  });

  it('leaves events alone that another page leased, until the lease ends, and says then that they were sent', async () => {
    const clock = new VirtualClock();
    const journal = createIndexedDbJournal('leased', { locks }, clock);
    journal.lease([await journal.append(one)], 10_000);
    const range = await journal.append(two);
    journal.lease([range], 30_000);
    const failed = await journal.append(group(['3']));
    journal.lease([failed], 30_000);
    journal.lease([failed], 0);
    await journal.append(group(['4']));
    const found: [range: Range, wasSent: boolean | undefined][] = [];
    const next = createIndexedDbJournal('leased', { locks }, clock);
    const recovered = (range: Range, _at?: number, wasSent?: boolean) => void found.push([range, wasSent]);
    await next.open({ recovered, damaged: () => {}, failed: () => {} });
    /** What was found since the last call, and whether it was sent. */
    const look = async () => {
      const news = found.splice(0);
      const ranges = news.map(([range]) => range);
      return [await readAll(next, ranges), news.map(([, wasSent]) => wasSent)];
    };
    expect(await look()).toEqual([
      ['3', '4'],
      [false, false],
    ]);
    await clock.advance(10_000);
    await next.refresh();
    expect(await look()).toEqual([['1'], [true]]);
    await clock.advance(20_000);
    await next.refresh();
    expect(await look()).toEqual([['2'], [true]]);
    await Promise.all([journal.close(), next.close()]);
  });

  it('leaves alone only the leased part of a record, and finds it when its lease has ended, or its page is done with it', async () => {
    const clock = new VirtualClock();
    const journal = createIndexedDbJournal('leased in part', { locks }, clock);
    const range = await journal.append(group(['0', '1', '2', '3', '4', '5']));
    const [first, second] = [
      { ...range, from: 1, to: 3 },
      { ...range, from: 4, to: 5 },
    ];
    journal.lease([first], 10_000);
    journal.lease([second], 30_000);
    const next = createIndexedDbJournal('leased in part', { locks }, clock);
    const found: [texts: readonly string[], wasSent: boolean | undefined][] = [];
    const reading: Promise<unknown>[] = [];
    const settlements: Range[] = [];
    await next.open({
      recovered: (part, _at, wasSent) =>
        void reading.push(readAll(next, [part]).then((texts) => found.push([texts, wasSent]))),
      settled: (part) => void settlements.push(part),
      damaged: () => {},
      failed: () => {},
    });
    const look = async () => {
      await next.refresh();
      await Promise.all(reading);
      return found.splice(0);
    };
    expect(await look()).toEqual([
      [['0'], false],
      [['3'], false],
      [['5'], false],
    ]);
    await clock.advance(10_000);
    expect(await look()).toEqual([[['1', '2'], true]]);
    await journal.acknowledge(second);
    await clock.advance(30_000);
    expect(await look()).toEqual([]);
    expect(settlements).toMatchObject([{ from: 4, to: 5 }]);
    await Promise.all([journal.close(), next.close()]);
  });

  it('has no lease left of what failed, though it was written in more parts than it was sent in', async () => {
    const journal = create('leased as written');
    const appends = [journal.append(one), journal.append(two)];
    journal.lease([], 30_000, true);
    await Promise.all(appends);
    journal.lease([{ segment: 1, from: 0, to: 2 }], 0);
    expect(await left('leased as written', journal)).toEqual(['1', '2']);
  });

  it('leases all records of a request with one write', async () => {
    const journal = create('leased as one');
    for (const event of [one, two]) await journal.append(event);
    const puts = vi.spyOn(IDBObjectStore.prototype, 'put');
    journal.lease([{ segment: 1, from: 0, to: 2 }], 30_000);
    expect(puts).toHaveBeenCalledTimes(1);
    expect(await left('leased as one', journal)).toEqual([]);
  });

  it('deals with a long list in several tasks', async () => {
    const journal = create('a long list');
    await journal.together(() => Promise.all(Array.from({ length: 100 }, () => journal.append(one))));
    await journal.close();
    const next = create('a long list');
    let [inThisTask, most] = [0, 0];
    const { transaction } = IDBDatabase.prototype;
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...given) {
      // What follows it comes when it is complete: in another task.
      inThisTask = 0;
      return transaction.apply(this, given);
    });
    const recovered = () => {
      inThisTask += 1;
      most = Math.max(most, inThisTask);
    };
    await next.open({ recovered, damaged: () => {}, failed: () => {} });
    expect(most).toBeLessThan(20);
    await next.close();
  });

  it('begins to read in another task than that in which a request began', async () => {
    const journal = create('one thing in a task');
    const range = await journal.append(one);
    const getAll = vi.spyOn(IDBObjectStore.prototype, 'getAll');
    journal.lease([range], 30_000);
    const reading = journal.read(range, journal.groupLimit);
    for (let turn = 0; turn < 100; turn += 1) await undefined;
    expect(getAll).not.toHaveBeenCalled();
    expect((await reading).range).toEqual(range);
    expect(getAll).toHaveBeenCalledOnce();
    await journal.close();
  });

  it('takes each record that it reads out of the browser as soon as it is there, not all in one task', async () => {
    const journal = create('record by record');
    const range = await journal.append(one);
    await journal.append(two);
    const steps: string[] = [];
    const { get } = Object.getOwnPropertyDescriptor(IDBRequest.prototype, 'result') ?? {};
    vi.spyOn(IDBRequest.prototype, 'result', 'get').mockImplementation(function (this: IDBRequest) {
      steps.push('taken');
      return get?.call(this);
    });
    const { transaction } = IDBDatabase.prototype;
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
      const begun = transaction.apply(this, args);
      begun.addEventListener('complete', () => steps.push('complete'));
      return begun;
    });
    await journal.read({ ...range, to: 2 }, journal.groupLimit);
    expect(steps).toEqual(['taken', 'taken', 'complete']);
    await journal.close();
  });

  it('counts as delivered, if events are to come once, what a page sent last that had an answer in the minute before', async () => {
    vi.stubGlobal('localStorage', new FakeStorage());
    const clock = new VirtualClock();
    const place = 'once';
    const journal = createIndexedDbJournal(place, { locks }, clock);
    const ask = async (text: string, isAnswered: boolean) => {
      const range = await journal.append(group([text]));
      journal.lease([range], 30_000);
      if (isAnswered) {
        await journal.acknowledge(range);
        journal.lease([range], 0);
      }
    };
    await ask('before any answer', false);
    await ask('answered', true);
    await clock.advance(59_000);
    await ask('after an answer', false);
    await clock.advance(2_000);
    await ask('a minute after an answer', false);
    await journal.close();
    await clock.advance(60_000);
    const witness = new Witness();
    const found: [range: Range, wasSent: boolean | undefined][] = [];
    const next = createIndexedDbJournal(place, { locks }, clock, true);
    await clock.advance(STAY_MS);
    await next.open({
      recovered: (range, _at, wasSent) => void found.push([range, wasSent]),
      settled: (range, fate) => witness.settled(range, fate),
      damaged: () => {},
      failed: () => {},
    });
    expect(found.map(([, wasSent]) => wasSent)).toEqual([true, false, true]);
    expect(witness.settlements).toEqual([{ range: found[1]?.[0], fate: 'delivered' }]);
    const ranges = found.map(([range]) => range);
    expect(await readAll(next, ranges)).toEqual(['before any answer', 'a minute after an answer']);
    await next.close();
    const again = createIndexedDbJournal(place, { locks }, clock);
    await clock.advance(STAY_MS);
    const last = new Witness();
    await again.open(last);
    expect(last.ranges).toHaveLength(2);
    await again.close();
  });

  it.each([
    ['delivered, where an earlier page had an answer in the minute before', new FakeStorage(), true],
    ['unknown, where the page may not use localStorage', undefined, false],
  ])('counts what a page sent that is left before it has an answer as %s', async (_, storage, isTaken) => {
    vi.stubGlobal('localStorage', storage);
    const clock = new VirtualClock();
    const place = `left before an answer ${isTaken}`;
    const earlier = createIndexedDbJournal(place, { locks }, clock, true);
    const range = await earlier.append(one);
    await earlier.acknowledge(range);
    earlier.lease([range], 0);
    await earlier.close();
    const journal = createIndexedDbJournal(place, { locks }, clock, true);
    journal.lease([await journal.append(two)], 30_000);
    await journal.sync();
    await journal.close();
    await clock.advance(40_000);
    const next = createIndexedDbJournal(place, { locks }, clock, true);
    await clock.advance(STAY_MS);
    expect(await openToSettled(next)).toHaveLength(isTaken ? 1 : 0);
    await next.close();
  });

  it('leaves what may have arrived to a page that stays: quick visitors would send it again and again', async () => {
    const clock = new VirtualClock();
    const journal = createIndexedDbJournal('quick', { locks }, clock);
    journal.lease([await journal.append(one)], 30_000);
    await journal.close();
    await clock.advance(60_000);
    const next = createIndexedDbJournal('quick', { locks }, clock);
    const witness = new Witness();
    const heard: string[] = [];
    next.listen((_, activity) => void heard.push(activity));
    await next.open(witness);
    await clock.advance(STAY_MS - 1);
    await next.refresh();
    expect([witness.ranges, heard]).toEqual([[], ['waits', 'waits']]);
    await clock.advance(1);
    await next.refresh();
    expect(await readAll(next, witness.ranges)).toEqual(['1']);
    await next.close();
  });

  it('takes no notice of a lease that was made before the clock was set back', async () => {
    const clock = new VirtualClock();
    const journal = createIndexedDbJournal('leased long', { locks }, clock);
    await clock.advance(60_000);
    journal.lease([await journal.append(one)], 30_000);
    await journal.close();
    const before = new VirtualClock();
    const next = createIndexedDbJournal('leased long', { locks }, before);
    await before.advance(STAY_MS);
    const witness = new Witness();
    await next.open(witness);
    expect(await readAll(next, witness.ranges)).toEqual(['1']);
    await next.close();
  });

  it('leases what it still appends, if that is in the request, and nothing that it has released', async () => {
    const journal = create('leased early');
    const range = await journal.append(one);
    await journal.acknowledge(range);
    const appended = journal.append(two);
    journal.lease([range], 30_000, true);
    await appended;
    expect(await left('leased early', journal)).toEqual([]);
  });

  it('has no lease left of what is released', async () => {
    const journal = create('leased once');
    const range = await journal.append(group(['1', '2']));
    journal.lease([range], 30_000);
    await journal.acknowledge({ ...range, to: range.from + 1 });
    await journal.acknowledge({ ...range, from: range.from + 1 });
    await journal.close();
    const store = new IndexedDbStore('leased once', systemClock, () => {});
    const { result } = await store.use('readonly', (objects) => objects.getAllKeys());
    expect(result.filter((key) => Array.isArray(key))).toEqual([]);
    store.close();
  });

  it('tells of what is gone where storage was cleared, and has what was under way tried again', async () => {
    const clock = new VirtualClock();
    const journal = createIndexedDbJournal('cleared', { locks }, clock);
    const vanished: number[] = [];
    await journal.open({
      recovered: () => {},
      damaged: () => {},
      failed: () => {},
      vanished: ({ segment }) => vanished.push(segment),
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
    const journal = createIndexedDbJournal('opened later', { locks }, clock);
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

describe('IndexedDbJournal, where a part of a record is released', () => {
  const five = group(['0', '1', '2', '3', '4']);
  const ALL = { maxEvents: 100, maxBytes: 1_000 };

  /** A page, and what it reports. Nothing is told from page to page. */
  async function start(
    place: string,
  ): Promise<{ journal: IndexedDbJournal; witness: Witness; range: Range }> {
    const journal = create(place);
    const witness = new Witness();
    await journal.open(witness);
    return { journal, witness, range: witness.ranges[0] ?? (await journal.append(five)) };
  }

  async function left(place: string): Promise<string[]> {
    const { journal, witness } = await start(place);
    const found = await readAll(journal, witness.ranges);
    await journal.close();
    return found;
  }

  function keysOf(place: string): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open(place);
      opening.onsuccess = () => {
        const { result: db } = opening;
        const keys = db.transaction('records').objectStore('records').getAllKeys();
        keys.onsuccess = () => {
          db.close();
          resolve(keys.result.flatMap((key) => (Array.isArray(key) ? [key.slice(1)] : [])));
        };
        keys.onerror = () => reject(keys.error);
      };
    });
  }

  it('has the rest in one record or two, whose keys say which events they are', async () => {
    const { journal, range } = await start('rewritten');
    await journal.acknowledge({ ...range, to: 1 });
    expect(await keysOf('rewritten')).toEqual([[1, 5, 7]]);
    await journal.acknowledge({ ...range, from: 2, to: 3 });
    expect(await keysOf('rewritten')).toEqual([
      [1, 2, 1],
      [3, 5, 3],
    ]);
    expect(await readAll(journal, [{ ...range, from: 3 }])).toEqual(['3', '4']);
    await journal.acknowledge({ ...range, from: 1, to: 2 });
    await journal.acknowledge({ ...range, from: 3 });
    expect([await keysOf('rewritten'), journal.bytes]).toEqual([[], 0]);
    await journal.close();
  });

  it('leases what is left of it for as long as all of it was leased', async () => {
    const clock = new VirtualClock();
    const journal = createIndexedDbJournal('rewritten while sent', { locks }, clock);
    const range = await journal.append(five);
    journal.lease([range], 10_000);
    await journal.acknowledge({ ...range, to: 2 });
    await journal.close();
    const witness = new Witness();
    const next = createIndexedDbJournal('rewritten while sent', { locks }, clock);
    await next.open(witness);
    expect(witness.ranges).toEqual([]);
    await clock.advance(10_000);
    await next.refresh();
    expect(await readAll(next, witness.ranges)).toEqual(['2', '3', '4']);
    await next.close();
  });

  it('tells a page that found it before of the part, at the next list, and takes up nothing twice', async () => {
    const owner = await start('found before');
    const other = await start('found before');
    await owner.journal.acknowledge({ ...owner.range, to: 2 });
    await other.journal.refresh();
    await owner.journal.refresh();
    const ended = { range: { ...other.range, from: 0, to: 2 }, fate: 'delivered' };
    expect([other.witness.settlements, other.witness.ranges]).toEqual([[ended], [other.range]]);
    expect([owner.witness.settlements, owner.witness.ranges]).toEqual([[], []]);
    expect(await readAll(other.journal, [{ ...other.range, from: 2 }])).toEqual(['2', '3', '4']);
    await other.journal.acknowledge({ ...other.range, from: 2 });
    await owner.journal.refresh();
    expect(owner.witness.settlements).toMatchObject([{ range: { from: 2, to: 5 }, fate: 'delivered' }]);
    expect(owner.journal.bytes).toBe(0);
    await Promise.all([owner.journal.close(), other.journal.close()]);
  });

  it('says what is not there to a page that reads all of it, and reads the rest', async () => {
    const owner = await start('read late');
    const other = await start('read late');
    await owner.journal.acknowledge({ ...owner.range, to: 2 });
    const missing = await other.journal.read(other.range, ALL);
    expect([missing.range.to, missing.events.ends.length]).toEqual([2, 0]);
    expect(await readAll(other.journal, [{ ...other.range, from: 2 }])).toEqual(['2', '3', '4']);
    await Promise.all([owner.journal.close(), other.journal.close()]);
  });

  it('leaves what neither of two pages released that do not hear of each other', async () => {
    const owner = await start('released by two');
    const other = await start('released by two');
    await Promise.all([
      owner.journal.acknowledge({ ...owner.range, to: 1 }),
      other.journal.acknowledge({ ...other.range, from: 3, to: 4 }),
    ]);
    expect(await left('released by two')).toEqual(['1', '2', '4']);
    await Promise.all([owner.journal.close(), other.journal.close()]);
  });

  it('still has all of it where the rest cannot be written', async () => {
    const { journal, range } = await start('not rewritten');
    const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('the scripted failure', 'UnknownError');
    });
    await expect(journal.acknowledge({ ...range, to: 2 })).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    failing.mockRestore();
    expect(await left('not rewritten')).toEqual(['0', '1', '2', '3', '4']);
    await journal.acknowledge({ ...range, from: 2 });
    expect(await keysOf('not rewritten')).toEqual([]);
    await journal.close();
  });

  it('writes the rest with what is released next, and leases what was released until then', async () => {
    const clock = new VirtualClock();
    const open = async () => {
      const journal = createIndexedDbJournal('rewritten later', { locks }, clock);
      const witness = new Witness();
      await journal.open(witness);
      return { journal, witness };
    };
    const { journal } = await open();
    const range = await journal.append(five);
    const part = { ...range, to: 2 };
    journal.lease([part], 30_000);
    const failing = vi.spyOn(IDBObjectStore.prototype, 'getAll').mockImplementation(() => {
      throw new DOMException('the scripted failure', 'UnknownError');
    });
    await expect(journal.acknowledge(part)).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    failing.mockRestore();
    journal.lease([part], 0);
    const other = await open();
    expect(other.witness.ranges).toMatchObject([{ from: 2, to: 5 }]);
    await journal.acknowledge(await journal.append(group(['another'])));
    expect(await keysOf('rewritten later')).toContainEqual([2, 5, 5]);
    await clock.advance(60_000);
    await other.journal.refresh();
    expect(other.witness.ranges).toMatchObject([{ from: 2, to: 5 }]);
    await Promise.all([journal.close(), other.journal.close()]);
  });

  it('leaves what was released by no page, whichever pages release what, and list when', async () => {
    const step = fc.record({
      page: fc.nat({ max: 2 }),
      kind: fc.constantFrom('append', 'release', 'release', 'list'),
      pick: fc.nat(),
      size: fc.integer({ min: 1, max: 4 }),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const place = `random-${Math.random()}`;
      const expected = new Set<string>();
      let next = 0;
      const pages = await Promise.all(
        [0, 1, 2].map(async () => {
          const known = new Map<string, Range>();
          const journal = create(place);
          const recovered = async (range: Range) => {
            for (let from = range.from; from < range.to; from += 1) {
              const [text] = await readAll(journal, [{ ...range, from, to: from + 1 }]);
              if (text !== undefined) known.set(text, { ...range, from, to: from + 1 });
            }
          };
          const pending: Promise<void>[] = [];
          await journal.open({
            recovered: (range) => void pending.push(recovered(range)),
            damaged: () => {},
            failed: () => {},
          });
          return { journal, known, pending };
        }),
      );
      for (const { page, kind, pick, size } of steps) {
        const { journal, known, pending } = pages[page] ?? pages[0] ?? expect.unreachable();
        if (kind === 'append') {
          const texts = Array.from({ length: size }, () => String(next++));
          const range = await journal.append(group(texts));
          texts.forEach((text, index) => {
            expected.add(text);
            known.set(text, { ...range, from: range.from + index, to: range.from + index + 1 });
          });
        } else if (kind === 'list') {
          await journal.refresh();
          await Promise.all(pending);
        } else {
          const texts = [...known.keys()];
          for (const text of texts.slice(pick % (texts.length + 1)).slice(0, size)) {
            const range = known.get(text);
            known.delete(text);
            expected.delete(text);
            if (range) await journal.acknowledge(range);
          }
        }
      }
      expect((await left(place)).sort()).toEqual([...expected].sort());
      for (const { journal } of pages) {
        await journal.refresh();
        await journal.close();
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });
});
