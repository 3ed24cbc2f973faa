import { backoffDelayMs } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { Alarm } from '../../base/alarm.ts';
import { storageError } from '../../base/errors/storage-error.ts';
import type { SharedPause } from '../../pace/breaker.ts';
import { DENIED, IndexedDbStore } from '../store/indexeddb-store.ts';
import { loadText, saveText } from '../store/local-storage.ts';
import { hasIndexedDb, isHidden } from '../store/origin.ts';
import { type StoredLock, storedLock } from '../store/stored-lock.ts';
import { createListing, type Found, type ListingOptions } from './listing.ts';
import { idOf, isLease, leasesOf, type Parcel, rangeOf, UNKNOWN } from './parcel.ts';
import { load } from './reading.ts';
import { createSpill, type Put } from './spill.ts';

const FRAME_MS = 16;
const RETRY = { baseMs: 1_000, maxMs: 60_000 };
/** More than this of what is stored is not kept in memory too. */
const MOST_LOADED = 512 * 1024;
const ALIVE_MS = 60_000;
/** The keys that begin with a number. */
const PAUSES = () => IDBKeyRange.bound([Number.NEGATIVE_INFINITY], ['']);

interface KeeperOptions extends ListingOptions {
  readonly isInMemory: boolean;
  readonly random: () => number;
  readonly commitIntervalMs: number;
  readonly isGranted: () => boolean;
  /** Before events are written: drops what has no room. */
  readonly makeRoom: () => void;
  /** Events were stored, or cannot be: they may be sent now. `isNew`: others find more than before. */
  readonly onChange: (isNew: boolean) => void;
}

export interface Keeper {
  /** Where events are kept now. */
  readonly kind: string;
  /** Whether what it keeps outlives the page. */
  readonly survives: boolean;
  /** In place of Web Locks. */
  readonly lock: StoredLock;
  /** Whether the database was ever deleted: what was in memory was stored again. */
  readonly wasCleared: boolean;
  /** Whether the page was left: what is written is spilled too. */
  readonly isLeft: boolean;
  /** Whether events may be sent: they are stored, or cannot be. */
  isSafe(parcel: Parcel): boolean;
  /** An event was tracked. */
  notify(isUrgent: boolean): void;
  /** Begins to write what is not written yet. */
  commit(): Promise<void>;
  /** As `commit`, with all that happens in this task. */
  commitSoon(): void;
  /** Resolves once all that was tracked is stored, or cannot be. */
  commitAll(): Promise<void>;
  /** Does the work with the records, if there are any, in one transaction. */
  use<Result>(work: (objects?: IDBObjectStore) => Promise<Result>): Promise<Result>;
  /** What is stored survives a power cut. */
  sync(): Promise<void>;
  leave(isLeft: boolean): void;
  /** Other pages leave these parcels alone for a while. Goes with the next transaction, as what follows. */
  lease(parcels: readonly Parcel[], forMs: number): void;
  endLease(parcels: readonly Parcel[]): void;
  remove(parcel: Parcel): void;
  put(key: IDBValidKey, value: unknown): void;
  delete(key: IDBValidKey): void;
  /** For service workers: consent is denied, or is not any more. */
  markDenied(isDenied: boolean): void;
  /** Deletes all events, also those of other pages. */
  clear(): Promise<void>;
  /** The service answered. */
  answered(): void;
  /** Compares what is known with what is stored. */
  refresh(): Promise<Found>;
  /** Tells other pages of a pause, or that there is none. */
  share(pause: SharedPause | undefined): void;
  /** Reads the texts that are only stored. What is not there any more has ended. */
  load(wanted: readonly Parcel[]): Promise<void>;
  close(): Promise<void>;
}

/** Keeps parcels in IndexedDB, a record for each. What is to be written goes with the next transaction. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { name, isInMemory, parcels, clock, random, commitIntervalMs } = options;
  const { reporter, isGranted, end, makeRoom, onChange } = options;
  const store = isInMemory || !hasIndexedDb() ? undefined : new IndexedDbStore(name, clock, restore);
  const spill = createSpill(name);
  const alarm = new Alarm(clock, () => void commit());
  const retry = new Alarm(clock, () => void commit());
  const writing = new Set<Promise<void>>();
  /** Records that are being written. */
  const unconfirmed = new Set<Put>();
  /** Leases and dead letters. */
  let others: Put[] = [];
  let deletions: (IDBValidKey | IDBKeyRange)[] = [];
  /** Ended, and perhaps not deleted yet. */
  const gone = new Set<string>();
  let isLeft = false;
  let wasCleared = false;
  let failures = 0;
  let dueAt = 0;
  let isSoon = false;
  const refresh = createListing(options, store, spill, gone, (keys) => {
    deletions.push(...keys);
    if (keys.length > 0) void commit();
  });

  /** Nothing is left of the database: what is in memory is written again. */
  function restore(): void {
    wasCleared = true;
    for (const parcel of parcels.all.values()) {
      if (!parcel.isStored) continue;
      parcel.isStored = false;
      if (parcel.texts) parcels.unwritten.add(parcel);
      // Another page may have it in memory: it is told nothing.
      else parcels.end(parcel, 'damaged');
    }
    alarm.set(0);
  }

  /** Its leases that are not written yet. */
  function forget({ id }: Parcel): void {
    others = others.filter(([key]) => !isLease(key) || idOf(key) !== id);
  }

  function commitSoon(): void {
    if (!isSoon)
      queueMicrotask(() => {
        isSoon = false;
        void commit();
      });
    isSoon = true;
  }

  function commit(): Promise<void> {
    const work = write();
    writing.add(work);
    return work.finally(() => writing.delete(work));
  }

  async function write(): Promise<void> {
    alarm.cancel();
    if (!isGranted()) return;
    parcels.seal();
    makeRoom();
    // While it fails, it is asked from time to time.
    if (!store || (retry.isSet && !isLeft)) return onChange(false);
    const added = [...parcels.unwritten].filter(
      ({ isWriting, session }) => !isWriting && session !== UNKNOWN,
    );
    const also = others;
    const puts = [...added.map(({ key, texts }): Put => [key, texts]), ...also];
    const deleted = deletions;
    // What another write is to delete may stay, if that one fails.
    const ended = writing.size ? [] : [...gone];
    others = [];
    deletions = [];
    if (puts.length + deleted.length === 0) return;
    for (const parcel of added) {
      parcel.isWriting = true;
      parcel.isTried = true;
    }
    for (const put of puts) {
      unconfirmed.add(put);
      if (isLeft) spill.add(put);
    }
    try {
      await store.use('readwrite', (objects) => {
        for (const key of deleted) objects.delete(key);
        for (const [key, value] of puts) objects.put(value, key);
      });
      for (const id of ended) gone.delete(id);
      if (failures) reporter.journal('indexeddb');
      failures = 0;
      retry.cancel();
      for (const parcel of added) {
        parcel.isStored = true;
        parcels.unwritten.delete(parcel);
        if (parcels.bytes > MOST_LOADED && parcel.state === 'waiting') parcels.unload(parcel);
      }
    } catch (cause) {
      deletions.push(...deleted);
      others.push(...also.filter(([key]) => !isLease(key) || !gone.has(idOf(key))));
      retry.set(backoffDelayMs(failures, RETRY, random));
      failures += 1;
      reporter.storageFailed(storageError('cannot append events in IndexedDB', cause));
      reporter.journal('memory');
    } finally {
      for (const parcel of added) parcel.isWriting = false;
      for (const put of puts) unconfirmed.delete(put);
    }
    onChange(added.some(({ isStored }) => isStored));
  }

  return {
    get kind() {
      return store && !failures ? 'indexeddb' : 'memory';
    },
    get survives() {
      return store !== undefined;
    },
    lock: store ? storedLock(store, clock) : { request: (_name, _options, work) => work({}) },
    get wasCleared() {
      return wasCleared;
    },
    get isLeft() {
      return isLeft;
    },
    isSafe: ({ isStored }) => isGranted() && (isStored || !store || !!failures),
    commit,
    commitSoon,
    notify(isUrgent) {
      if (isLeft) return void commit();
      const isFull = parcels.unwritten.size > 0;
      // Not now: `track()` does no I/O.
      if (isUrgent || (isFull && !store)) return commitSoon();
      const waitMs = !isFull ? commitIntervalMs : isHidden() ? 0 : FRAME_MS;
      const at = clock.now() + waitMs;
      if (alarm.isSet && at < dueAt) alarm.cancel();
      if (!alarm.isSet) dueAt = at;
      alarm.set(waitMs);
    },
    async commitAll() {
      retry.cancel();
      await commit();
      await Promise.all(writing);
    },
    use: (work) => (store ? store.use('readwrite', work) : work()),
    async sync() {
      await store?.sync();
    },
    leave(left) {
      isLeft = left;
      if (left) for (const put of unconfirmed) spill.add(put);
      else for (const put of spill.read()) if (Object(put[0])[0] === parcels.own) spill.remove(put);
    },
    lease(all, forMs) {
      if (!store) return;
      const now = clock.now();
      const wasAlive = Number(Math.abs(now - Number(loadText(name))) < ALIVE_MS);
      for (const { page, number } of all) others.push([[page, number, now + forMs, forMs, wasAlive], 0]);
    },
    endLease(all) {
      if (!store) return;
      for (const parcel of all) {
        forget(parcel);
        deletions.push(leasesOf(parcel));
      }
      void commit();
    },
    remove(parcel) {
      forget(parcel);
      // It may be stored, though the browser said that it is not.
      if (!store || (!parcel.isStored && !parcel.isTried)) return;
      gone.add(parcel.id);
      deletions.push(rangeOf(parcel));
    },
    put(key, value) {
      if (store) others.push([key, value]);
    },
    delete(key) {
      others = others.filter(([other]) => other !== key);
      if (store) deletions.push(key);
    },
    share(pause) {
      if (!store) return;
      deletions.push(PAUSES());
      if (pause) others.push([pause, 0]);
      void commit();
    },
    markDenied(isDenied) {
      const mark = (objects: IDBObjectStore) =>
        void (isDenied ? objects.put(0, DENIED) : objects.delete(DENIED));
      store?.use('readwrite', mark).catch(reporter.storageFailed);
    },
    async clear() {
      others = [];
      await store?.use('readwrite', async (objects) => {
        for (const key of await promisifyRequest(objects.getAllKeys()))
          if (Array.isArray(key)) objects.delete(key);
      });
    },
    answered() {
      if (store) saveText(name, `${clock.now()}`);
    },
    refresh,
    async load(wanted) {
      const missing = wanted.filter(({ texts }) => !texts);
      if (store && missing.length > 0)
        await load(store, missing, parcels, end, (bytes) => reporter.emit('damaged', { place: name, bytes }));
    },
    async close() {
      alarm.stop();
      retry.stop();
      await Promise.all(writing);
      store?.close();
    },
  };
}
