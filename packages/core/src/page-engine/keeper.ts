import { backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { Alarm } from '../base/alarm.ts';
import { storageError } from '../base/errors/storage-error.ts';
import type { Fate } from '../base/fate.ts';
import { IndexedDbStore } from '../keep/page/indexeddb-store.ts';
import { hasIndexedDb } from '../keep/page/origin.ts';
import { isHidden } from '../keep/page/tabs.ts';
import type { Reporter } from '../tell/reporter.ts';
import { idOf, type Parcel, type ParcelKey } from './parcel.ts';
import type { Parcels } from './parcels.ts';

const FRAME_MS = 16;
const RETRY = { baseMs: 1_000, maxMs: 60_000 };
/** More than this of what is stored is not kept in memory too. */
const MOST_LOADED = 512 * 1024;

/** A record to put, or without a value, records to delete. */
type Change = readonly [key: IDBValidKey | IDBKeyRange, value?: unknown];

interface KeeperOptions {
  readonly name: string;
  readonly isInMemory: boolean;
  readonly parcels: Parcels;
  readonly clock: Clock;
  readonly random: () => number;
  readonly commitIntervalMs: number;
  readonly reporter: Reporter;
  readonly mayStore: () => boolean;
  /** Events were stored, or cannot be: they may be sent now. */
  readonly onChange: () => void;
}

type End = (parcel: Parcel, fate: Fate) => void;

export interface Keeper {
  readonly isFailing: boolean;
  /** Where events are kept now. */
  readonly kind: string;
  /** Whether what it keeps outlives the page. */
  readonly survives: boolean;
  /** Whether events may be sent: they are stored, or cannot be. */
  isSafe(parcel: Parcel): boolean;
  commit(): Promise<void>;
  /** An event was tracked. */
  notify(isUrgent: boolean): void;
  /** Resolves once all that was tracked is stored, or cannot be. */
  commitAll(): Promise<void>;
  /** What is stored survives a power cut. */
  sync(): Promise<void>;
  /** Its record is deleted with the next transaction. */
  remove(parcel: Parcel): void;
  /** Compares what is known with what is stored. Returns how many events of other pages were found. */
  refresh(end: End): Promise<number>;
  /** Reads the texts that are only stored. What is not there any more has ended. */
  load(wanted: readonly Parcel[], end: End): Promise<void>;
  close(): Promise<void>;
}

/** Keeps parcels in IndexedDB, a record for each. What is to be written goes with the next transaction. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { name, parcels, clock, random, commitIntervalMs, reporter, mayStore, onChange } = options;
  const store = options.isInMemory || !hasIndexedDb() ? undefined : new IndexedDbStore(name, clock, restore);
  const alarm = new Alarm(clock, () => void commit());
  const retry = new Alarm(clock, () => void commit());
  const writing = new Set<Promise<void>>();
  let changes: Change[] = [];
  /** Ended, and perhaps not deleted yet. */
  const gone = new Set<string>();
  let failures = 0;
  let dueAt = 0;

  /** Nothing is left of the database: what is in memory is written again. */
  function restore(): void {
    for (const parcel of parcels.all.values()) {
      if (!parcel.isStored) continue;
      parcel.isStored = false;
      if (parcel.texts) parcels.unwritten.add(parcel);
      else parcels.end(parcel, 'damaged');
    }
    alarm.set(0);
  }

  function commit(): Promise<void> {
    const work = write();
    writing.add(work);
    return work.finally(() => writing.delete(work));
  }

  async function write(): Promise<void> {
    alarm.cancel();
    if (!store || !mayStore()) return;
    parcels.seal();
    const added = [...parcels.unwritten].filter(({ isWriting }) => !isWriting);
    const all = changes;
    changes = [];
    if (added.length + all.length === 0) return;
    for (const parcel of added) parcel.isWriting = true;
    try {
      await store.use('readwrite', (objects) => {
        for (const { key, texts } of added) if (texts) objects.put(texts, key);
        for (const [key, value] of all)
          if (value === undefined) objects.delete(key);
          else objects.put(value, key as IDBValidKey);
      });
      if (failures > 0) reporter.journal('indexeddb');
      failures = 0;
      retry.cancel();
      for (const parcel of added) {
        parcel.isStored = true;
        parcels.unwritten.delete(parcel);
        if (parcels.bytes > MOST_LOADED && parcel.state === 'waiting') parcels.unload(parcel);
      }
    } catch (cause) {
      changes.push(...all);
      retry.set(backoffDelayMs(failures, RETRY, random));
      failures += 1;
      reporter.storageFailed(storageError('cannot append events in IndexedDB', cause));
      reporter.journal('memory');
    } finally {
      for (const parcel of added) parcel.isWriting = false;
    }
    onChange();
  }

  return {
    get isFailing() {
      return failures > 0;
    },
    get kind() {
      return store && failures === 0 ? 'indexeddb' : 'memory';
    },
    get survives() {
      return store !== undefined;
    },
    isSafe: ({ isStored }: Parcel) => isStored || !store || failures > 0,
    commit,
    notify(isUrgent: boolean): void {
      if (!store) return void onChange();
      const waitMs = !isUrgent && parcels.unwritten.size === 0 ? commitIntervalMs : isHidden() ? 0 : FRAME_MS;
      const at = clock.now() + waitMs;
      if (failures > 0) return;
      if (alarm.isSet && at < dueAt) alarm.cancel();
      if (!alarm.isSet) dueAt = at;
      alarm.set(waitMs);
    },
    async commitAll(): Promise<void> {
      await commit();
      await Promise.all(writing);
    },
    async sync(): Promise<void> {
      await store?.sync();
    },
    remove(parcel: Parcel): void {
      if (!parcel.isStored && !parcel.isWriting) return;
      gone.add(parcel.id);
      changes.push([parcel.range]);
    },
    async refresh(end): Promise<number> {
      const known = [...parcels.all.values()].filter(({ isStored }) => isStored);
      const keys = (await store?.use('readonly', (objects) => objects.getAllKeys()))?.result ?? [];
      const listed = new Set<string>();
      const odd: Change[] = [];
      let found = 0;
      for (const key of keys) {
        if (isParcel(key)) {
          const id = idOf(key);
          listed.add(id);
          if (key[0] === parcels.own || gone.has(id) || parcels.all.has(id)) continue;
          parcels.found(key);
          found += key[2];
        } else if (typeof key !== 'number') odd.push([key]);
      }
      changes.push(...odd);
      if (store)
        for (const parcel of known) if (parcel.isStored && !listed.has(parcel.id)) end(parcel, 'delivered');
      return found;
    },
    async load(wanted: readonly Parcel[], end): Promise<void> {
      const missing = wanted.filter(({ texts }) => !texts);
      if (missing.length === 0) return;
      const read = (objects: IDBObjectStore) =>
        Promise.all(missing.map(({ key }) => promisifyRequest<unknown>(objects.get(key))));
      const values = (await store?.use('readonly', read)) ?? [];
      for (const [index, parcel] of missing.entries()) {
        const value = values[index];
        if (isTexts(value, parcel.count)) parcels.loaded(parcel, value);
        else end(parcel, value === undefined ? 'delivered' : 'damaged');
      }
    },
    async close(): Promise<void> {
      alarm.stop();
      retry.stop();
      await Promise.all(writing);
      store?.close();
    },
  };
}

function isParcel(key: IDBValidKey): key is ParcelKey {
  if (!Array.isArray(key) || key.length !== 6) return false;
  const [page, number, count, bytes, at, session] = key;
  const isWhole = [number, count, bytes].every((part) => Number.isSafeInteger(part) && Number(part) > 0);
  return isWhole && typeof page === 'string' && Number.isFinite(at) && typeof session === 'string';
}

function isTexts(value: unknown, count: number): value is string[] {
  return Array.isArray(value) && value.length === count && value.every((text) => typeof text === 'string');
}
