import { delMany, get, keys, set } from 'idb-keyval';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { type IndexedDbStore, openStore } from '../../../src/page/store/indexeddb-store.ts';

const PATIENCE_MS = 10_000;

function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The keys, without those that are the store's own. */
async function textKeys(store: IndexedDbStore): Promise<IDBValidKey[]> {
  return (await keys(store.use)).filter((key) => typeof key !== 'number');
}

/** What the store must do in every browser. */
export function describeStore(name: string, forceClose: (db: IDBDatabase) => Promise<void>): void {
  describe(name, () => {
    const stores: IndexedDbStore[] = [];
    let handles: IDBDatabase[];
    let place: string;
    let clock: VirtualClock;
    let cleared: number;
    let store: IndexedDbStore;

    function create(): IndexedDbStore {
      const created = openStore(place, clock, () => {
        cleared += 1;
      });
      stores.push(created);
      return created;
    }

    /** Opens a connection of other code, which does not close for others. */
    async function openRaw(): Promise<IDBDatabase> {
      const db = await answerOf(indexedDB.open(place));
      handles.splice(handles.indexOf(db), 1);
      return db;
    }

    beforeEach(() => {
      place = `store-${Math.random()}`;
      clock = new VirtualClock();
      cleared = 0;
      handles = [];
      const { open } = IDBFactory.prototype;
      vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (this: IDBFactory, ...given) {
        const request = open.apply(this, given);
        request.addEventListener('success', () => handles.push(request.result));
        return request;
      });
      store = create();
    });

    afterEach(() => {
      vi.restoreAllMocks();
      for (const created of stores.splice(0)) created.close();
    });

    it('keeps values for the functions of idb-keyval, with one connection and no timer left', async () => {
      await Promise.all([set('a', 1, store.use), set('b', 2, store.use)]);
      expect(await get('b', store.use)).toBe(2);
      await delMany(['a'], store.use);
      expect(await textKeys(store)).toEqual(['b']);
      expect(handles).toHaveLength(1);
      expect(clock.timers).toBe(0);
      expect(cleared).toBe(0);
    });

    it('begins a transaction at once where it is open', async () => {
      await set('a', 1, store.use);
      const begin = vi.spyOn(IDBDatabase.prototype, 'transaction');
      const written = [set('a', 2, store.use), store.sync()];
      expect(begin.mock.calls).toEqual([
        ['records', 'readwrite', { durability: 'relaxed' }],
        ['records', 'readwrite', { durability: 'strict' }],
      ]);
      await Promise.all(written);
    });

    it('opens anew after the browser closed the connection', async () => {
      await set('a', 1, store.use);
      for (const db of handles) await forceClose(db);
      await set('b', 2, store.use);
      expect(await get('b', store.use)).toBe(2);
      expect(clock.timers).toBe(0);
    });

    it('opens anew where a connection is closed and nobody said so', async () => {
      await set('a', 1, store.use);
      handles[0]?.close();
      expect(await get('a', store.use)).toBe(1);
      expect(cleared).toBe(0);
    });

    it('tries once more what was aborted', async () => {
      await set('a', 1, store.use);
      const { put } = IDBObjectStore.prototype;
      vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(function (
        this: IDBObjectStore,
        ...given
      ) {
        const request = put.apply(this, given);
        this.transaction.abort();
        return request;
      });
      await set('a', 2, store.use);
      expect(await get('a', store.use)).toBe(2);
    });

    it('rejects with what the browser said where it fails twice, and works again later', async () => {
      vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
        throw new DOMException('not here', 'SecurityError');
      });
      await expect(set('a', 1, store.use)).rejects.toThrow('not here');
      vi.restoreAllMocks();
      await set('a', 1, store.use);
      expect(await get('a', store.use)).toBe(1);
    });

    it('does not try again what there is no room for, and keeps its connection', async () => {
      await set('a', 1, store.use);
      const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
        throw new DOMException('full', 'QuotaExceededError');
      });
      await expect(set('a', 2, store.use)).rejects.toMatchObject({ name: 'QuotaExceededError' });
      expect(put).toHaveBeenCalledOnce();
      vi.restoreAllMocks();
      expect(await get('a', store.use)).toBe(1);
      expect(cleared).toBe(0);
    });

    it('makes way for those who delete the database, makes it anew once it is used, and says so', async () => {
      await set('a', 1, store.use);
      await answerOf(indexedDB.deleteDatabase(place));
      expect(await textKeys(store)).toEqual([]);
      expect(cleared).toBe(1);
    });

    it('says that it was cleared before anything is written, whoever made the database anew', async () => {
      await Promise.all([set('a', 1, store.use), store.sync()]);
      await answerOf(indexedDB.deleteDatabase(place));
      await set('b', 2, create().use);
      const written = set('c', 3, store.use).then(() => cleared);
      expect(await written).toBe(1);
      expect(await textKeys(store)).toEqual(['b', 'c']);
    });

    it('makes what it needs in a database that others made without it, beside another store that does so', async () => {
      const other = create();
      (await openRaw()).close();
      await Promise.all([set('a', 1, store.use), set('b', 2, other.use)]);
      expect(await textKeys(store)).toEqual(['a', 'b']);
    });

    it('gives up an open that is blocked, closes what comes of it too late, and works once it is not', async () => {
      const raw = await openRaw();
      const deleted = answerOf(indexedDB.deleteDatabase(place));
      const refused = expect(set('a', 1, store.use)).rejects.toThrow('did not answer within 10 s');
      await expect.poll(() => clock.timers).toBe(1);
      await clock.advance(PATIENCE_MS);
      await refused;
      raw.close();
      await deleted;
      await set('b', 2, store.use);
      expect(await textKeys(store)).toEqual(['b']);
      expect(handles).toHaveLength(2);
      expect(() => handles[0]?.transaction('records')).toThrow();
    });

    it('gives up a transaction that does not come to its end, which then writes nothing', async () => {
      await set('a', 1, store.use);
      const raw = await openRaw();
      const objects = raw.transaction('records', 'readwrite').objectStore('records');
      let isHeld = true;
      const hold = () => {
        if (isHeld) objects.get('a').onsuccess = hold;
      };
      hold();
      const refused = expect(set('a', 2, store.use)).rejects.toThrow('did not answer within 10 s');
      await clock.advance(PATIENCE_MS);
      await refused;
      isHeld = false;
      expect(await get('a', store.use)).toBe(1);
      raw.close();
    });
  });
}
