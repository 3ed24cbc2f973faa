import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SluiceError } from '@sluice/protocol';
import { messageOf, quote } from '../messages.ts';
import { Database, isDamage, sqliteCode } from './database.ts';

const FILE = 'emulator.db';

/** Opens the database in a data directory; creates both if they are missing. While it is open, no other emulator can use it. */
export function openDirectory(directory: string): Database {
  const path = resolve(directory, FILE);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Not if it is there: closing it would end the lock of another emulator in this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600); // it holds API keys, and SQLite gives the files beside it the same mode
  return new Database(path);
}

/** The error for a data directory that cannot be used, of code `SLUICE_STORAGE`. */
export function unusable(directory: string, cause: unknown): SluiceError {
  const message = `Cannot use the data directory ${quote(directory)}: ${reasonOf(cause)}`;
  return new SluiceError('SLUICE_STORAGE', message, { cause });
}

function reasonOf(cause: unknown): string {
  const reason = messageOf(cause);
  if (isDamage(cause)) {
    return `${FILE} in it is damaged, or no database (${reason}). Move that file away, or choose another directory.`;
  }
  const isUsed = sqliteCode(cause) === 'SQLITE_BUSY';
  return isUsed ? 'another emulator is using it. End that one, or choose another directory.' : reason;
}
