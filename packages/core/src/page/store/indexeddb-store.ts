import { type Clock, inTime, tried } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { StorageError } from '../../base/errors/storage-error.ts';

const OBJECTS = 'records';
/**
 * Keys that are numbers: what tells a database from one of the same name that was deleted; nothing; who has the lock; that consent
 * is denied.
 */
const MARK = 0;
const NOTHING = 1;
export const LOCK = 2;
export const DENIED = 3;
export const STORE_KEYS: readonly IDBValidKey[] = [MARK, NOTHING, LOCK, DENIED];
/** A browser that takes longer is taken not to answer at all. */
const PATIENCE_MS = 10_000;
/** While a browser clears its storage it lets nobody open anything. So long it is waited for, too, while it has not answered an earlier open. */
const REOPEN_MS = 1_000;

type Work<Result> = (objects: IDBObjectStore) => Result | PromiseLike<Result>;

export interface IndexedDbStore {
  /**
   * Calls `work` with the object store, in a transaction that survives the death of the browser, but not a power cut. Resolves
   * to its result once the transaction is done: requests that it returns have their results then. What a page wrote is only
   * certain to outlive it if the transaction need not wait for the page. So `work` makes all its requests at once; only one that
   * writes and returns something may make more of them later. If `work` fails, nothing is written.
   */
  use<Result>(
    this: void,
    mode: IDBTransactionMode,
    work: Work<Result>,
    durability?: IDBTransactionDurability,
  ): Promise<Result>;
  /** Resolves once all that was written before survives a power cut: it is written to the disk with what is written now. */
  sync(): Promise<void>;
  /** Lets go of the connection once its transactions are done. */
  close(): void;
}

/**
 * A database in IndexedDB with one object store; keys that are numbers are its own. Opened on demand, and opened anew when it is
 * used after its connection was lost or its object store is gone: what fails for such a reason is tried once more at once. What
 * the browser does not answer to within 10 s rejects, and may yet be done.
 *
 * @param onCleared It was opened anew, and nothing is left of what it held.
 */
export function openStore(name: string, clock: Clock, onCleared: () => void): IndexedDbStore {
  let current: IDBDatabase | undefined;
  let opening: Promise<IDBDatabase> | undefined;
  /** For an open. */
  let patienceMs = PATIENCE_MS;
  let mark: number | undefined;

  async function use<Result>(
    mode: IDBTransactionMode,
    work: Work<Result>,
    durability: IDBTransactionDurability = 'relaxed',
    isAgain = false,
  ): Promise<Result> {
    let db = current;
    try {
      // Nothing is awaited where it is open: this may be the last moment of the page.
      db ??= await connect();
      return await transact(db.transaction(OBJECTS, mode, { durability }), work);
    } catch (error) {
      const isFull = (error as Error | null)?.name === 'QuotaExceededError';
      if (!isFull) letGo(db);
      if (isFull || isAgain || error instanceof StorageError) throw error;
      return use(mode, work, durability, true);
    }
  }

  async function transact<Result>(transaction: IDBTransaction, work: Work<Result>): Promise<Result> {
    const ended = new Promise<unknown>((resolve, reject) => {
      transaction.addEventListener('complete', resolve);
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
    });
    const done = async () => {
      const result = work(transaction.objectStore(OBJECTS));
      // Left to itself it ends with the page: one that is frozen would keep others from writing.
      if (transaction.mode === 'readonly' || result === undefined) transaction.commit?.();
      return result;
    };
    try {
      const [result] = await answered(Promise.all([done(), ended]));
      return result;
    } catch (error) {
      // It may be too late for that: it has ended, or is being stored.
      tried(() => transaction.abort());
      throw error;
    }
  }

  function connect(): Promise<IDBDatabase> {
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  function letGo(db: IDBDatabase | undefined): void {
    if (current === db) current = undefined;
    db?.close();
  }

  async function open(version?: number): Promise<IDBDatabase> {
    const request = indexedDB.open(name, version);
    const has = () => request.result.objectStoreNames.contains(OBJECTS);
    request.onupgradeneeded = () => {
      if (!has()) request.result.createObjectStore(OBJECTS).put(Math.random(), MARK);
    };
    const opened = promisifyRequest(request).finally(() => {
      patienceMs = PATIENCE_MS;
    });
    const db = await answered(opened, patienceMs, () => {
      patienceMs = REOPEN_MS;
      opened.then(letGo, () => undefined);
    });
    // Closed by the browser, or to be deleted or upgraded by others, who wait until it is closed.
    db.onclose = db.onversionchange = () => letGo(db);
    if (!has()) {
      db.close();
      // Made by others, without what we need.
      return open(db.version + 1);
    }
    // Before anything else: what its user does next may depend on what is gone.
    const ask = (objects: IDBObjectStore): IDBRequest<number> => objects.get(MARK);
    const { result } = await transact(db.transaction(OBJECTS), ask);
    current = db;
    mark ??= result;
    if (result !== mark) onCleared();
    mark = result;
    return db;
  }

  /** @param giveUp What to do where it takes too long. */
  function answered<Result>(work: Promise<Result>, mostMs = PATIENCE_MS, giveUp = () => {}): Promise<Result> {
    return inTime(clock, work, mostMs, () => {
      giveUp();
      return new StorageError(`the browser did not answer within ${mostMs / 1_000} s`);
    });
  }

  return {
    use,
    sync: () => use('readwrite', (objects) => void objects.put(0, NOTHING), 'strict'),
    close() {
      letGo(current);
      opening?.then(letGo, () => undefined);
    },
  };
}
