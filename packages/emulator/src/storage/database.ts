import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SluiceError } from '@sluice/protocol';
import Libsql from 'libsql';
import { messageOf, quote } from '../messages.ts';
import { SCHEMA, VERSION } from './schema.ts';

const FILE = 'emulator.db';

// How long to wait for another emulator that is just closing.
const BUSY_TIMEOUT_MS = 1_000;
const MOST_STATEMENTS = 200;
// Rows for one statement: with fewer statements, less time goes into calling them.
const ROWS_AT_ONCE = 50;

/** The selected primary key (escaped), and the chosen behaviour (JSON). */
type Setting = 'primary_key' | 'behaviour';
/** A value of a column. */
export type Value = string | number | null;
type Statement = Libsql.Statement<unknown[]>;

/** An SQLite database. Each statement is prepared once, and reused. */
export class Database {
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Statement>();
  /** Temporary tables to be used again, by their columns. For a new table, SQLite prepares all statements anew. */
  readonly unusedTables: Map<string, string[]> = new Map();

  /** Opens the file for itself alone, or a database in memory, and creates its tables. */
  constructor(path?: string) {
    this.#database = new Libsql(path ?? ':memory:', { timeout: BUSY_TIMEOUT_MS });
    try {
      // Nothing is synced: a sync takes a tenth of a second, in which nobody is served. All commits survive the process, whenever it
      // ends; a power cut may damage the file. For one connection, WAL is slower: it writes each page twice, new ones too.
      this.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY');
      this.exec('PRAGMA journal_mode = PERSIST; PRAGMA journal_size_limit = 4194304');
      this.exec('PRAGMA cache_size = -65536');
      this.transaction(() => this.#prepareSchema());
    } catch (error) {
      if (sqliteCode(error) === '') this.close();
      else this.#database.close(); // it may be damaged, or another emulator's
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#database.open;
  }

  /** The first row; undefined if there is none. */
  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.all<Row>(sql, ...values)[0]; // libsql's own get() adds a field to the row
  }

  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#prepare(sql).all(values) as Row[];
  }

  /** The rows as arrays. For many rows, that takes a third less time than {@link all}. */
  arrays<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#prepare(sql, true).all(values) as Row[];
  }

  /** Returns how many rows were changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#prepare(sql).run(values).changes;
  }

  /** Inserts many rows. `values`: first those of the first row, then those of the second, and so on. */
  insert(table: string, columns: string, values: readonly Value[]): void {
    const width = columns.split(',').length;
    const row = `(${Array(width).fill('?').join(', ')})`;
    for (let at = 0; at < values.length; ) {
      const rows = values.length - at >= ROWS_AT_ONCE * width ? ROWS_AT_ONCE : 1;
      const sql = `INSERT INTO ${table} (${columns}) VALUES ${Array(rows).fill(row).join(', ')}`;
      this.run(sql, ...values.slice(at, at + rows * width));
      at += rows * width;
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** A named setting of the account; undefined if it was never set. */
  setting(name: Setting): string | undefined {
    return this.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)?.value;
  }

  set(name: Setting, value: string): void {
    this.run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, value);
  }

  /** Runs `work` in one transaction: if it throws, nothing is stored. If the caller has a transaction, `work` runs in that one. */
  transaction<T>(work: () => T): T {
    if (this.#database.inTransaction) return work();
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /** Leaves only the one file, and lets others open it: the connection itself ends only when its statements are collected. */
  close(): void {
    if (this.isOpen) {
      this.exec(
        'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema',
      );
    }
    this.#database.close();
  }

  #prepare(sql: string, isRaw = false): Statement {
    const key = isRaw ? `raw ${sql}` : sql;
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      statement = this.#database.prepare(sql);
      this.#statements.set(key, isRaw ? statement.raw(true) : statement);
    }
    return statement;
  }

  #prepareSchema(): void {
    const version = this.get<{ user_version: number }>('PRAGMA user_version')?.user_version;
    if (version === VERSION) return;
    if (version !== 0) {
      const known = `(schema ${version}, this one knows ${VERSION})`;
      throw new Error(
        `another version of the emulator wrote it ${known}. Delete the directory, or choose another.`,
      );
    }
    this.exec(`${SCHEMA} PRAGMA user_version = ${VERSION}`);
  }
}

/** Opens the database in a data directory; creates both if they are missing. While it is open, no other emulator can use it. */
export function openDirectory(directory: string): Database {
  const path = resolve(directory, FILE);
  makeDirectory(dirname(path));
  // Not if it is there: closing it would end the lock of another emulator in this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600); // it holds API keys, and SQLite gives the files beside it the same mode
  return new Database(path);
}

/** Creates a directory and its missing parents. One by one: with `recursive`, Node never ends for some paths, as in `/proc`. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

/** The error for a data directory that cannot be used, of code `SLUICE_STORAGE`. */
export function unusable(directory: string, cause: unknown): SluiceError {
  const message = `Cannot use the data directory ${quote(directory)}: ${reasonOf(cause)}`;
  return new SluiceError('SLUICE_STORAGE', message, { cause });
}

function reasonOf(cause: unknown): string {
  const reason = messageOf(cause);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(cause))) {
    return `${FILE} in it is damaged, or no database (${reason}). Move that file away, or choose another directory.`;
  }
  const isUsed = sqliteCode(cause) === 'SQLITE_BUSY';
  return isUsed ? 'another emulator is using it. End that one, or choose another directory.' : reason;
}

/** The code of an SQLite error, such as `SQLITE_FULL`; empty for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
}

/** Does work whose caller cannot fail. If the database cannot do it, as on a full disk, tells `failed`, and returns undefined. */
export function unlessFailing<T>(work: () => T, failed: (error: unknown) => void = () => {}): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!sqliteCode(error).startsWith('SQLITE_')) throw error;
    failed(error);
    return undefined;
  }
}

// SQLite's text cannot hold U+0000 or half a surrogate pair, but JSON strings can. So free text is stored as it would be between
// the quotes of a JSON string. Equal texts stay equal, different ones stay different, and plain words do not change.
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Escapes `text`, so that SQLite can store and compare it. */
export function escapeText(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Returns the text before it was escaped. */
export function unescapeText(escaped: string): string {
  return JSON.parse(`"${escaped}"`);
}

/** The pattern of LIKE, with `ESCAPE '!'`, for texts that contain `text`. */
export function containing(text: string): string {
  return `%${beginning(text)}`;
}

/** The pattern of LIKE, with `ESCAPE '!'`, for texts that begin with `text`. Case is ignored for the letters of ASCII. */
export function beginning(text: string): string {
  return `${text.replace(/[!%_]/g, '!$&')}%`;
}

/** Milliseconds since 1970 as ISO 8601 UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
