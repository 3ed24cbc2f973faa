import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SluiceError } from '@sluice/protocol';
import Libsql from 'libsql';
import { quote } from '../quote.ts';
import { isDamage } from './damage.ts';
import { type Database, FILES, makeDirectory, makePrivateFile, OLD_INDEX } from './database.ts';

const HEADER = 'SQLite format 3\0';
// The database itself is deleted last. So after an interruption, the rest is still recognised as an emulator's.
const ENDS = ['-shm', '-wal', ''];
const LOCK_WAIT_MS = 1_000;

/** A data directory. While it is open, no other emulator can use it. */
export class DataDirectory {
  readonly path: string;
  readonly #lock: Database;

  /**
   * Creates the directory if it is missing, and locks it. `isReset`: deletes what an emulator stored in it, and nothing else.
   * Throws a {@link SluiceError} of code `SLUICE_STORAGE`.
   */
  constructor(directory: string, isReset = false) {
    this.path = resolve(directory);
    try {
      makeDirectory(this.path);
      this.#lock = lock(join(this.path, FILES.lock));
      if (isReset) this.#reset();
      for (const end of ENDS) rmSync(join(this.path, OLD_INDEX + end), { force: true });
    } catch (error) {
      throw unusable(directory, error);
    }
  }

  /** Releases the directory for other emulators. */
  close(): void {
    this.#lock.close();
  }

  #reset(): void {
    const path = join(this.path, FILES.database);
    try {
      if (existsSync(path) && !isDatabase(path)) {
        throw new Error(`${FILES.database} in it is no database of an emulator, so it is not deleted`);
      }
      for (const end of ENDS) rmSync(path + end, { force: true });
    } catch (error) {
      this.#lock.close();
      throw error;
    }
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// SQLite's own lock. It ends with the process, in whatever way that ends, and it also holds against other threads.
function lock(path: string): Database {
  makePrivateFile(path);
  const database = new Libsql(path, { timeout: LOCK_WAIT_MS });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isDamage(error)) throw new Error(damaged(FILES.lock, error), { cause: error });
    if (error instanceof Error && Reflect.get(error, 'code') !== 'SQLITE_BUSY') throw error;
    throw new Error('another emulator is using it. End that one, or choose another directory.', {
      cause: error,
    });
  }
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
