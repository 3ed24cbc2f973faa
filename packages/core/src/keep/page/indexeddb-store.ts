import { get, promisifyRequest, set, type UseStore } from 'idb-keyval';
import { Alarm } from '../../base/alarm.ts';
import { type Clock, inTime } from '../../base/clock.ts';
import { StorageError } from '../../base/errors/storage-error.ts';

const OBJECTS = 'events';
/** Keys of the store's own records, numbers: what tells a database from one of the same name that was deleted; and nothing. */
const MARK = 0;
const NOTHING = 1;
/** A browser that takes longer is taken not to answer at all. */
const PATIENCE_MS = 10_000;
/** While a browser clears its storage it lets nobody open anything. So long it is waited for, too, while it has not answered an earlier open. */
const REOPEN_MS = 1_000;

type Durability = 'relaxed' | 'strict';

/**
 * A database in IndexedDB with one object store, for idb-keyval's functions; keys that are numbers are its own. Opened on demand, and opened anew whenever its
 * connection is lost or its object store is gone: what fails for such a reason is tried once more at once. What the browser does
 * not answer to within 10 s rejects, and may yet be done.
 */
export class IndexedDbStore {
  /** For idb-keyval. What is written survives the death of the browser. */
  readonly use: UseStore = (mode, work) => this.#use('relaxed', mode, work);
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
      get(MARK, this.use).catch(() => this.#reopening.set(PATIENCE_MS));
    });
  }

  /** Resolves once all that was written before survives a power cut: it is written to the disk with what is written now. */
  sync(): Promise<void> {
    return set(NOTHING, 0, (mode, work) => this.#use('strict', mode, work));
  }

  /** Lets go of the connection once what is under way is done. */
  close(): void {
    this.#reopening.cancel();
    this.#letGo(this.#db);
    this.#opening?.then(
      (db) => this.#letGo(db),
      () => this.#reopening.cancel(),
    );
  }

  async #use<Result>(
    durability: Durability,
    mode: IDBTransactionMode,
    work: (objects: IDBObjectStore) => Result | PromiseLike<Result>,
    isAgain = false,
  ): Promise<Result> {
    let db = this.#db;
    try {
      // Nothing is awaited where it is open: this may be the last moment of the page.
      db ??= await this.#connect();
      return await this.#transact(db.transaction(OBJECTS, mode, { durability }), work);
    } catch (error) {
      const isFull = (error as Error | null)?.name === 'QuotaExceededError';
      if (!isFull) this.#letGo(db);
      if (isFull || isAgain || error instanceof StorageError) throw error;
      return this.#use(durability, mode, work, true);
    }
  }

  #transact<Result>(
    transaction: IDBTransaction,
    work: (objects: IDBObjectStore) => Result | PromiseLike<Result>,
  ): Promise<Result> {
    const failed = new Promise<never>((_, reject) => {
      // Here, because the transaction knows its error only once it has ended.
      transaction.addEventListener('error', ({ target }) => reject((target as IDBRequest).error));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('it was aborted')));
    });
    const done = async () => {
      const result = work(transaction.objectStore(OBJECTS));
      // All that it reads is asked for. Left to itself it ends with the page: one that is frozen would keep others from writing.
      if (transaction.mode === 'readonly') transaction.commit?.();
      return result;
    };
    return this.#inTime(Promise.race([failed, done()]), () => {
      try {
        transaction.abort();
      } catch {
        // Too late for that: it is being stored.
      }
    });
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

  async #open(version?: number): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, version);
    const has = () => request.result.objectStoreNames.contains(OBJECTS);
    request.onupgradeneeded = () => {
      if (!has()) request.result.createObjectStore(OBJECTS).put(Math.random(), MARK);
    };
    const opened = promisifyRequest(request).finally(() => {
      this.#patienceMs = PATIENCE_MS;
    });
    const giveUp = () => {
      this.#patienceMs = REOPEN_MS;
      opened.then(
        (late) => late.close(),
        () => undefined,
      );
    };
    const db = await this.#inTime(opened, giveUp, this.#patienceMs);
    if (!has()) {
      db.close();
      // Made by others, without what we need.
      return this.#open(db.version + 1);
    }
    // Closed by the browser, or to be deleted or upgraded by others, who wait until it is closed.
    db.onclose = db.onversionchange = () => {
      this.#letGo(db);
      // Though nobody asks for it: what is gone of it may still be in memory.
      this.#reopening.cancel();
      this.#reopening.set(REOPEN_MS);
    };
    this.#db = db;
    // Begun before anything else, and so done before anything is written.
    get<number>(MARK, this.use).then(
      (mark) => {
        this.#mark ??= mark;
        if (mark !== this.#mark) this.#onCleared();
        this.#mark = mark;
      },
      () => undefined,
    );
    return db;
  }

  /** @param giveUp What to do where it takes too long. */
  #inTime<Result>(work: Promise<Result>, giveUp: () => void, patienceMs = PATIENCE_MS): Promise<Result> {
    return inTime(this.#clock, work, patienceMs, () => {
      giveUp();
      return new StorageError(`the browser did not answer within ${patienceMs / 1_000} s`);
    });
  }
}
