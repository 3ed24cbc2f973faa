import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SluiceError } from '@sluice/protocol';
import Libsql from 'libsql';
import { messageOf, quote } from '../messages.ts';
import { isDamage, sqliteCode } from './database.ts';

/** The files that an emulator keeps in its data directory, apart from those that SQLite adds. */
const FILES = { database: 'emulator.db', lock: 'emulator.lock' } as const;
const HEADER = 'SQLite format 3\0';
// The database itself is deleted last. So after an interruption, the rest is still recognised as an emulator's.
const ENDS = ['-shm', '-wal', ''];
const LOCK_WAIT_MS = 1_000;

/** A data directory. While it is open, no other emulator can use it. */
export class DataDirectory {
  /** Path of the database in it. */
  readonly database: string;
  readonly #lock: Libsql.Database;

  /**
   * Creates the directory if it is missing, and locks it. `isReset`: deletes what an emulator stored in it, and nothing else.
   * Throws a {@link SluiceError} of code `SLUICE_STORAGE`.
   */
  constructor(directory: string, isReset = false) {
    const path = resolve(directory);
    this.database = join(path, FILES.database);
    let held: Libsql.Database | undefined;
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      held = lock(join(path, FILES.lock));
      if (isReset) reset(this.database);
      makePrivateFile(this.database); // it holds API keys
      this.#lock = held;
    } catch (error) {
      held?.close();
      throw unusable(directory, error);
    }
  }

  /** Releases the directory for other emulators. */
  close(): void {
    this.#lock.close();
  }
}

/** The error for a data directory that cannot be used. */
export function unusable(directory: string, cause: unknown): SluiceError {
  // Damage here is always in the database: `lock()` reports its own damage.
  const reason = isDamage(cause) ? damaged(FILES.database, cause) : messageOf(cause);
  const message = `Cannot use the data directory ${quote(directory)}: ${reason}`;
  return new SluiceError('SLUICE_STORAGE', message, { cause });
}

function damaged(file: string, cause: unknown): string {
  return `${file} in it is damaged, or no database (${messageOf(cause)}). Move that file away, or choose another directory.`;
}

// SQLite's own lock. It ends with the process, in whatever way that ends, and it also holds against other threads.
function lock(path: string): Libsql.Database {
  makePrivateFile(path);
  const database = new Libsql(path, { timeout: LOCK_WAIT_MS });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isDamage(error)) throw new Error(damaged(FILES.lock, error), { cause: error });
    if (sqliteCode(error) !== 'SQLITE_BUSY') throw error;
    throw new Error('another emulator is using it. End that one, or choose another directory.', {
      cause: error,
    });
  }
}

function reset(path: string): void {
  if (existsSync(path) && !isDatabase(path)) {
    throw new Error(`${FILES.database} in it is no database of an emulator, so it is not deleted`);
  }
  for (const end of ENDS) rmSync(path + end, { force: true });
}

/** Creates the file if it is missing, and makes it readable by its owner only. SQLite gives the files beside it the same mode. */
function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function isDatabase(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(HEADER.length);
    const length = readSync(file, bytes);
    return length === 0 || bytes.toString('latin1') === HEADER;
  } finally {
    closeSync(file);
  }
}
