import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { type Database, FILES, inTransaction, makePrivateFile, userVersion } from '../storage/database.ts';

// An index of another version is built anew, so it needs no migrations.
const VERSION = 1;
const MOST_MAPPED = 2 ** 31 - 65_536;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the search index of `database`. If it is missing, damaged, of another version or of another account, an empty one is
 * created.
 */
export function openIndex(directory: string | undefined, database: Database): Database {
  if (directory === undefined) return prepare(new Libsql(':memory:'), database);
  try {
    return reopenIndex(directory, database);
  } catch {
    removeIndex(directory);
    return reopenIndex(directory, database);
  }
}

/** Opens the search index once more after `openIndex` has opened it. Throws if it is not as it should be. */
export function reopenIndex(directory: string, database: Database): Database {
  const path = join(directory, FILES.index);
  makePrivateFile(path);
  return prepare(new Libsql(path, { timeout: BUSY_TIMEOUT_MS }), database);
}

/** How far an index has caught up with the events. */
export interface Progress {
  readonly account: string;
  /** Events up to this id are in the full-text tables. */
  readonly indexed: number;
  /** Uuids of events up to this id are in the table of uuids. */
  readonly merged: number;
}

/** Reads how far an index has caught up. */
export function progressOf(index: Database): Progress {
  return index.prepare('SELECT account, indexed, merged FROM progress').get() as Progress;
}

/** Deletes the search index of a data directory. It must not be open anywhere. */
export function removeIndex(directory: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(directory, FILES.index + end), { force: true });
}

function prepare(index: Database, database: Database): Database {
  try {
    index.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096');
    // Each commit of one thread empties the other thread's cache. With mmap, both read pages from the operating system's memory.
    index.exec(`PRAGMA cache_size = -32768; PRAGMA mmap_size = ${MOST_MAPPED}`);
    if (userVersion(index) === 0) inTransaction(index, () => create(index, database));
    check(index, database);
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

function create(index: Database, database: Database): void {
  index.exec(
    `CREATE TABLE progress ( -- one row
       account TEXT NOT NULL, -- whose events they are
       indexed INTEGER NOT NULL, -- events up to this id are in the full-text tables
       merged INTEGER NOT NULL -- and up to this one in uuids
     );
     CREATE TABLE uuids (
       hash INTEGER NOT NULL, -- see ../storage/hash.ts
       id INTEGER NOT NULL, -- of an event, which may be gone
       PRIMARY KEY (hash, id)
     ) WITHOUT ROWID;
     PRAGMA user_version = ${VERSION}`,
  );
  index.prepare('INSERT INTO progress VALUES (?, 0, 0)').run(accountOf(database));
}

function check(index: Database, database: Database): void {
  if (userVersion(index) !== VERSION) throw new Error('it is of another version');
  const progress = progressOf(index);
  const { newest } = database.prepare('SELECT newest_event AS newest FROM totals').get() as {
    newest: number;
  };
  if (progress.account !== accountOf(database)) throw new Error('it is of another account');
  // A power cut may have lost the last events. Then their ids are used again.
  if (Math.max(progress.indexed, progress.merged) > newest) throw new Error('it is ahead of the events');
}

function accountOf(database: Database): string {
  const row = database.prepare("SELECT value FROM settings WHERE name = 'id'").get() as { value: string };
  return row.value;
}
