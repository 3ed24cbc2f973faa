import { type Clock, inTime, tried } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { Alarm } from '../../base/alarm.ts';
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

/**
 * A database in IndexedDB with one object store; keys that are numbers are its own. Opened on demand, and opened anew whenever
 * its connection is lost or its object store is gone: what fails for such a reason is tried once more at once. What the browser
 * does not answer to within 10 s rejects, and may yet be done.
 */
export class IndexedDbStore {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #onCleared: () => void;
  #db: IDBDatabase | undefined;
  #opening: Promise<IDBDatabase> | undefined;
  /** For an open. */
  #patienceMs = PATIENCE_MS;
  readonly #reopening: Alarm;
  #mark: number | undefined;

  /** @param onCleared It was opened anew, and nothing is left of what it held. */
  constructor(name: string, clock: Clock, onCleared: () => void) {
    this.#name = name;
    this.#clock = clock;
    this.#onCleared = onCleared;
    this.#reopening = new Alarm(clock, () => {
      const connect = async () => this.#db ?? this.#connect();
      connect()
        .catch(connect)
        .catch(() => this.#reopen(PATIENCE_MS));
    });
  }

  /**
   * Calls `work` with the object store, in a transaction that survives the death of the browser, but not a power cut. Resolves
   * to its result once the transaction is done: requests that it returns have their results then. What a page wrote is only
   * certain to outlive it if the transaction need not wait for the page. So `work` makes all its requests at once; only one that
   * writes and returns something may make more of them later. If `work` fails, nothing is written.
   */
  readonly use = async <Result>(
    mode: IDBTransactionMode,
    work: Work<Result>,
    durability: IDBTransactionDurability = 'relaxed',
    isAgain = false,
  ): Promise<Result> => {
    let db = this.#db;
    try {
      // Nothing is awaited where it is open: this may be the last moment of the page.
      db ??= await this.#connect();
      return await this.#transact(db.transaction(OBJECTS, mode, { durability }), work);
    } catch (error) {
      const isFull = (error as Error | null)?.name === 'QuotaExceededError';
      if (!isFull) this.#letGo(db);
      if (isFull || isAgain || error instanceof StorageError) throw error;
      return this.use(mode, work, durability, true);
    }
  };

  /** Resolves once all that was written before survives a power cut: it is written to the disk with what is written now. */
  sync(): Promise<void> {
    return this.use('readwrite', (objects) => void objects.put(0, NOTHING), 'strict');
  }

  /** Lets go of the connection once what is under way is done. */
  close(): void {
    this.#reopening.stop();
    this.#letGo(this.#db);
    this.#opening?.then(
      (db) => this.#letGo(db),
      () => undefined,
    );
  }

  async #transact<Result>(transaction: IDBTransaction, work: Work<Result>): Promise<Result> {
    const ended = new Promise<unknown>((resolve, reject) => {
      transaction.addEventListener('complete', resolve);
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('it was aborted')));
    });
    const done = async () => {
      const result = work(transaction.objectStore(OBJECTS));
      // Left to itself it ends with the page: one that is frozen would keep others from writing.
      if (transaction.mode === 'readonly' || result === undefined) transaction.commit?.();
      return result;
    };
    try {
      const [result] = await this.#inTime(Promise.all([done(), ended]));
      return result;
    } catch (error) {
      // It may be too late for that: it has ended, or is being stored.
      tried(() => transaction.abort());
      throw error;
    }
  }

  #connect(): Promise<IDBDatabase> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  #letGo(db: IDBDatabase | undefined): void {
    if (this.#db === db) this.#db = undefined;
    db?.close();
  }

  /** Though nobody asks for it: what is gone of it may still be in memory. */
  #reopen(delayMs: number): void {
    this.#reopening.cancel();
    this.#reopening.set(delayMs);
  }

  async #open(version?: number): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, version);
    const has = () => request.result.objectStoreNames.contains(OBJECTS);
    request.onupgradeneeded = () => {
      if (!has()) request.result.createObjectStore(OBJECTS).put(Math.random(), MARK);
    };
    const opened = promisifyRequest(request).finally(() => {
      this.#patienceMs = PATIENCE_MS;
    });
    const db = await this.#inTime(opened, this.#patienceMs, () => {
      this.#patienceMs = REOPEN_MS;
      opened.then(
        (late) => late.close(),
        () => undefined,
      );
    });
    if (!has()) {
      db.close();
      // Made by others, without what we need.
      return this.#open(db.version + 1);
    }
    // Closed by the browser, or to be deleted or upgraded by others, who wait until it is closed.
    let isLost = false;
    db.onclose = db.onversionchange = () => {
      isLost = true;
      this.#letGo(db);
      this.#reopen(REOPEN_MS);
    };
    // Before anything else: what its user does next may depend on what is gone.
    const ask = (objects: IDBObjectStore): IDBRequest<number> => objects.get(MARK);
    const { result } = await this.#transact(db.transaction(OBJECTS), ask).catch((error) => {
      db.close();
      throw error;
    });
    if (isLost) return this.#open();
    this.#db = db;
    this.#mark ??= result;
    if (result !== this.#mark) this.#onCleared();
    this.#mark = result;
    return db;
  }

  /** @param giveUp What to do where it takes too long. */
  #inTime<Result>(work: Promise<Result>, patienceMs = PATIENCE_MS, giveUp = () => {}): Promise<Result> {
    return inTime(this.#clock, work, patienceMs, () => {
      giveUp();
      return new StorageError(`the browser did not answer within ${patienceMs / 1_000} s`);
    });
  }
}
