import { storageError } from '../../base/errors/storage-error.ts';
import { Turns } from '../../base/turns.ts';
import { uuid } from '../../base/uuid.ts';
import type { Note } from '../note.ts';

/** A value in a SQLite database. Sluice reads bytes back as an ArrayBuffer or any view of one. */
export type SqliteValue = string | number | null | Uint8Array;

/** A SQLite database of the application, open. Sluice creates tables of its own in it, and never closes it. */
export interface SqliteDatabase {
  /** Runs one statement. Resolves to its rows, each an object of its columns. */
  execute(
    sql: string,
    params?: SqliteValue[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

type Execute = (
  sql: string,
  ...params: SqliteValue[]
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The columns of a parcel that are read without its events come first: SQLite need not read the rest of a row then. */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS sluice_parcels (
    place TEXT NOT NULL, life TEXT NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
    at REAL, ends TEXT NOT NULL, times TEXT NOT NULL, events BLOB NOT NULL, UNIQUE (life, first))`,
  `CREATE TABLE IF NOT EXISTS sluice_rests (
    life TEXT NOT NULL, first INTEGER NOT NULL, rest TEXT NOT NULL, PRIMARY KEY (life, first))`,
  'CREATE TABLE IF NOT EXISTS sluice_notes (place TEXT PRIMARY KEY, text TEXT NOT NULL)',
];

const stores = new WeakMap<SqliteDatabase, SqliteStore>();

/** The tables of Sluice in one database. One statement runs at a time: not every library keeps their order. */
export class SqliteStore {
  readonly #database: SqliteDatabase;
  readonly #turns = new Turns();
  #hasTables = false;

  private constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** The store of a database. All who use the database share it. */
  static of(database: SqliteDatabase): SqliteStore {
    const store = stores.get(database) ?? new SqliteStore(database);
    stores.set(database, store);
    return store;
  }

  /**
   * Runs statements while nobody else does. Rejects with a StorageError.
   *
   * @param what For the error: what cannot be done.
   */
  use<Result>(what: string, work: (execute: Execute) => Promise<Result>): Promise<Result> {
    return this.#turns.take(async () => {
      try {
        if (!this.#hasTables) for (const table of TABLES) await this.#execute(table);
        this.#hasTables = true;
        return await work(this.#execute);
      } catch (cause) {
        // Somebody may have deleted them.
        this.#hasTables = false;
        throw storageError(`cannot ${what} in SQLite`, cause);
      }
    });
  }

  readonly #execute: Execute = async (sql, ...params) => (await this.#database.execute(sql, params)).rows;
}

export class SqliteNote implements Note {
  readonly #database: SqliteDatabase;
  readonly #store: SqliteStore;
  readonly #place: string;

  constructor(database: SqliteDatabase, place: string) {
    this.#database = database;
    this.#store = SqliteStore.of(database);
    this.#place = place;
  }

  read(): Promise<string | undefined> {
    return this.#store.use('read a note', (execute) => this.#read(execute));
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    await this.#store.use('keep a note', async (execute) => {
      const text = next(await this.#read(execute));
      await execute('INSERT OR REPLACE INTO sluice_notes VALUES (?, ?)', this.#place, text);
    });
  }

  /** The key is a note of its own. Without `crypto.subtle` there is none. */
  async digest(text: string): Promise<string> {
    const encoder = new TextEncoder();
    let key = '';
    try {
      const { subtle } = crypto;
      await new SqliteNote(this.#database, `${this.#place} key`).change((stored) => {
        key = stored ?? uuid() + uuid();
        return key;
      });
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const imported = await subtle.importKey('raw', encoder.encode(key), hmac, false, ['sign']);
      return new Uint8Array(await subtle.sign('HMAC', imported, encoder.encode(text))).join();
    } catch {
      return uuid();
    }
  }

  async #read(execute: Execute): Promise<string | undefined> {
    const [row] = await execute('SELECT text FROM sluice_notes WHERE place = ?', this.#place);
    return row && String(row.text);
  }
}
