import { backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { Alarm } from '../../base/alarm.ts';
import { storageError } from '../../base/errors/storage-error.ts';
import type { Settings } from '../../options/settings.ts';
import type { SharedPause } from '../../pace/breaker.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { ConsentGate } from '../consent.ts';
import { openStore } from '../store/indexeddb-store.ts';
import { hasIndexedDb, loadText, saveText } from '../store/origin.ts';
import { type StoredLock, storedLock } from '../store/stored-lock.ts';
import { createLoad } from './load.ts';
import {
  type Change,
  idOf,
  isParcel,
  type Parcel,
  rangeOf,
  rangeOfPauses,
  TOO_MUCH,
  UNKNOWN,
} from './parcel.ts';
import type { Parcels } from './parcels.ts';
import { createSpill, dropSpill, readSpill } from './spill.ts';

const RETRY = { baseMs: 1_000, maxMs: 60_000 };
/** More than this of what is stored is not kept in memory too. */
const MOST_LOADED = 512 * 1024;
const ALIVE_MS = 60_000;

interface KeeperOptions {
  readonly name: string;
  readonly settings: Pick<Settings, 'commitIntervalMs' | 'journal'>;
  readonly parcels: Parcels;
  readonly clock: Clock;
  readonly random: () => number;
  readonly reporter: Reporter;
  readonly consent: Pick<ConsentGate, 'isGranted'>;
  /** Before events are written: drops what has no room. */
  readonly makeRoom: () => void;
  /** Something may be sent: events were stored, or cannot be, or became free. `isNew`: others find more than before. */
  readonly onChange: (isNew: boolean) => void;
}

export interface Keeper {
  /** Where events are kept now. */
  readonly kind: string;
  /** Whether what it keeps outlives the page. */
  readonly survives: boolean;
  /** In place of Web Locks. */
  readonly lock: StoredLock | undefined;
  /** Whether the page was left: what is written is spilled too. */
  readonly isLeft: boolean;
  /** Whether events may be sent: they are stored, or cannot be. */
  isSafe(parcel: Parcel): boolean;
  /** Whether a parcel outlives a page that was left. */
  outlives(parcel: Parcel): boolean;
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
  /**
   * Other pages leave these parcels alone for a while; with 0, no longer. Goes with the next transaction, as what follows. Returns whether
   * the service answered in the minute before.
   */
  lease(parcels: readonly Parcel[], forMs: number): boolean;
  /** Stores another record; without texts, deletes it. Where there is no storage, it stays among the changes. */
  put(key: IDBValidKey, texts?: string | number): void;
  /** The service answered. */
  answered(): void;
  /** The keys of all records, those that pages left in localStorage among them. Undefined: nothing is stored. */
  list(): Promise<readonly IDBValidKey[] | undefined>;
  /** Tells other pages of a pause, or that there is none. */
  share(pause: SharedPause | undefined): void;
  /** Reads the texts that are only stored. What is not there any more has ended. What cannot be read waits. */
  load(wanted: readonly Parcel[]): Promise<void>;
  close(): Promise<void>;
}

/** Keeps parcels in IndexedDB, a record for each. What changes goes with the next transaction. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { name, settings, parcels, clock, random, reporter, consent, makeRoom, onChange } = options;
  const { changes } = parcels;
  const store = settings.journal || !hasIndexedDb() ? undefined : openStore(name, clock, restore);
  let spill = createSpill(name);
  const alarm = new Alarm(clock, commit);
  /** Meanwhile what is tracked still waits for others of its record. */
  const retry = new Alarm(clock, commit);
  let writing: Promise<void> = Promise.resolve();
  let isLeft = false;
  /** What is in localStorage too. */
  const spilled = new Set<Change>();
  let failures = 0;
  let isSoon = false;

  /** Nothing is left of the database: what is in memory is written again. */
  function restore(): void {
    for (const parcel of parcels.all.values()) {
      if (!parcel.isStored) continue;
      // Another page may have it in memory: it is told nothing.
      if (!parcel.texts) parcels.gone(parcel, 'damaged');
      else {
        parcel.kept = 'failed';
        changes.set(parcel.id, parcel);
      }
    }
    commitSoon();
  }

  function change(name: string, key: Change['key'], texts?: unknown): void {
    if (store || texts) {
      changes.set(name, { key, texts });
      commitSoon();
    } else changes.delete(name);
  }

  function commitSoon(): void {
    if (!isSoon && !alarm.isStopped)
      queueMicrotask(() => {
        isSoon = false;
        commit();
      });
    isSoon = true;
  }

  function commit(): Promise<void> {
    const before = writing;
    writing = write().then(() => before);
    return writing;
  }

  async function write(): Promise<void> {
    alarm.cancel();
    parcels.seal();
    if (consent.isGranted) makeRoom();
    // While it fails, it is asked from time to time.
    if (!store || (retry.isSet && !isLeft)) return onChange(false);
    const all = [...changes];
    // A record is deleted together with what takes its place, while that is not stored.
    const isMoved = all.some(([, { isPart, texts }]) => texts && (isPart || typeof texts === 'string'));
    // Where there is no room, a browser still deletes, if nothing is written with that.
    const stays = ([, { isPart, texts }]: (typeof all)[0]) => texts !== undefined || (isMoved && isPart);
    const isFull = failures > 0 && all.some(stays) && !all.every(stays);
    // Without consent nothing of a user is stored, and what is stored may be deleted.
    const able = all.filter(
      ([, { kept, session, texts }]) =>
        kept !== 'writing' && session !== UNKNOWN && (!texts || consent.isGranted),
    );
    if (isLeft) for (const [, change] of able) if (!change.isCopy && spill(change)) spilled.add(change);
    const begun = able.filter((entry) => !(isFull && stays(entry)));
    if (begun.length === 0) {
      // All that may be deleted is being deleted.
      if (isFull) alarm.set(settings.commitIntervalMs);
      return onChange(false);
    }
    const records = begun.map(([, { key, texts }]) => ({ key, texts }));
    for (const [, change] of begun) change.kept = 'writing';
    try {
      await store.use('readwrite', (objects) => {
        for (const { key, texts } of records)
          if (texts === undefined) objects.delete(key);
          else objects.put(texts, key as IDBValidKey);
      });
      failures = 0;
      retry.cancel();
      if (isFull) commitSoon();
      for (const [id, change] of begun) {
        // It may have ended, or changed, meanwhile.
        if (changes.get(id) !== change) continue;
        changes.delete(id);
        change.kept = 'stored';
      }
      parcels.trim(MOST_LOADED);
    } catch (cause) {
      for (const [, change] of begun) if (change.kept === 'writing') change.kept = 'failed';
      retry.set(backoffDelayMs(failures, RETRY, random));
      failures += 1;
      reporter.storageFailed(storageError('cannot write to IndexedDB', cause));
    }
    reporter.journal(failures || isFull ? 'memory' : 'indexeddb');
    onChange(!failures && records.some(({ texts }) => texts));
  }

  return {
    get kind() {
      return store && !failures ? 'indexeddb' : 'memory';
    },
    survives: !!store,
    lock: store && storedLock(store, clock),
    get isLeft() {
      return isLeft;
    },
    isSafe: ({ isStored }) => consent.isGranted && (isStored || !store || !!failures),
    outlives: (parcel) => parcel.isStored || spilled.has(parcel),
    commit,
    commitSoon,
    notify(isUrgent) {
      // Where a new parcel begins while another one waits, that one is full.
      const { filling } = parcels;
      const isFull = !filling || (alarm.isSet && filling.count < 2);
      if (isLeft) commit();
      // Not now: `track()` does no I/O.
      else if (isUrgent || isFull) commitSoon();
      else alarm.set(settings.commitIntervalMs);
    },
    commitAll() {
      retry.cancel();
      return commit();
    },
    use: (work) => (store ? store.use('readwrite', work) : work()),
    async sync() {
      await store?.sync();
    },
    leave(left) {
      if (left === isLeft) return;
      isLeft = left;
      if (left) {
        // The browser may not finish what was begun.
        for (const change of changes.values()) if (change.kept) change.kept = 'failed';
      } else {
        spill = createSpill(name);
        const own = readSpill(name).filter(([key]) => Object(key)[0] === parcels.own);
        // Another page took the rest: it has stored it, and may have sent it.
        for (const [id, change] of changes) {
          if (!spilled.has(change) || own.some(([key]) => `${key}` === `${change.key}`)) continue;
          changes.delete(id);
          change.kept = 'stored';
        }
        spilled.clear();
        dropSpill(own);
      }
    },
    lease(all, forMs) {
      const now = clock.now();
      const isAlive = Math.abs(now - Number(loadText(name))) < ALIVE_MS;
      for (const parcel of all) {
        const { id, page, number } = parcel;
        parcel.leasedUntil = 0;
        if (forMs) change(`${id} lease`, [page, number, now + forMs, forMs, Number(isAlive)], 0);
        else if (store) change(`${id} lease`, rangeOf(parcel, TOO_MUCH));
      }
      return isAlive;
    },
    put: (key, texts) => change(String(key), key, texts),
    share(pause) {
      if (!store) return;
      change('pauses', rangeOfPauses());
      if (pause) change('pause', pause, 0);
      else changes.delete('pause');
    },
    answered() {
      if (store) saveText(name, `${clock.now()}`);
    },
    async list() {
      if (!store) return undefined;
      let found = readSpill(name);
      if (found.length > 0)
        await store
          .use('readwrite', async (objects) => {
            // While the database was opened, another page may have moved them, and sent them.
            found = readSpill(name);
            for (const [key, value] of found) {
              const [page, number] = key;
              const stored =
                isParcel(key) && (await promisifyRequest(objects.getKey(rangeOf({ page, number }))));
              // What is there may have its customer by now.
              if (!isParcel(stored) && !parcels.past.has(idOf(key))) objects.put(value, key);
            }
          })
          .then(() => dropSpill(found), reporter.storageFailed);
      return (await store.use('readonly', (objects) => objects.getAllKeys())).result;
    },
    load: createLoad({ name, store, parcels, clock, reporter }),
    async close() {
      alarm.stop();
      retry.stop();
      await writing;
      store?.close();
    },
  };
}
