import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { platform } from '#platform';
import { IndexedDbJournal } from '../../src/journals/indexeddb-journal.ts';
import { describeJournal, group, readAll, Witness } from '../contracts/journal-contract.ts';
import { FakeLocks } from '../fake-locks.ts';

const locks = new FakeLocks();

function create(place: string): IndexedDbJournal {
  return new IndexedDbJournal(place, locks, platform.clock);
}

describeJournal('IndexedDbJournal on fake-indexeddb', { create, survives: true });

describe('IndexedDbJournal, where the browser fails', () => {
  afterEach(() => vi.restoreAllMocks());

  const one = group(['1']);
  const two = group(['2']);
  const fail = () => {
    throw new DOMException('the scripted failure', 'UnknownError');
  };

  /** What the next life finds. */
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

  it('syncs with one strict write, which is no event', async () => {
    const journal = create('synced');
    await journal.append(one);
    const begin = vi.spyOn(IDBDatabase.prototype, 'transaction');
    await journal.sync();
    expect(begin.mock.calls.map(([, , options]) => options)).toEqual([{ durability: 'strict' }]);
    expect(await left('synced', journal)).toEqual(['1']);
  });
});
