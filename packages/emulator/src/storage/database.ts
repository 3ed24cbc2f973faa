import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Libsql from 'libsql';

/** An open SQLite database. */
export type Database = Libsql.Database;

/** A prepared statement. */
export type Statement = Libsql.Statement<unknown[]>;

/** The files that an emulator keeps in its data directory, apart from those that SQLite adds. */
export const FILES = { database: 'emulator.db', lock: 'emulator.lock' } as const;

/** The file in which earlier versions kept the search index. It is no longer used. */
export const OLD_INDEX = 'emulator-search.db';

const BUSY_TIMEOUT_MS = 5_000;

// One entry for each version of the schema; `user_version` counts how many have run. Add new ones at the end, and never edit one.
// Columns of free text hold it escaped: see escaped-text.ts. The tables of the search index are made as they are needed: see
// ../search/search-index.ts.
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE api_keys (
     id INTEGER PRIMARY KEY,
     key TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER
   );
   CREATE TABLE customers (
     id INTEGER PRIMARY KEY,
     primary_value TEXT UNIQUE, -- of the selected primary key; NULL for a customer without it
     attributes TEXT NOT NULL -- JSON
   );
   CREATE TABLE events (
     id INTEGER PRIMARY KEY, -- order of arrival
     uuid TEXT UNIQUE, -- in lower case; NULL where the event has none
     name TEXT NOT NULL,
     correlation_key TEXT NOT NULL,
     correlation_value TEXT NOT NULL,
     source TEXT NOT NULL,
     received_at INTEGER NOT NULL, -- milliseconds since 1970
     deliveries INTEGER NOT NULL DEFAULT 1,
     body TEXT NOT NULL -- JSON, as received
   );`,
  `ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
   ALTER TABLE events ADD COLUMN request_id INTEGER; -- NULL for what came before requests were kept
   CREATE TABLE requests (
     id INTEGER PRIMARY KEY, -- order of arrival
     received_at INTEGER NOT NULL,
     method TEXT NOT NULL,
     path TEXT NOT NULL,
     status INTEGER, -- NULL where the connection was cut in place of an answer
     duration_us INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     events INTEGER, -- NULL where they were not looked at
     repeated INTEGER,
     first_event INTEGER, -- its new events have ids from here on, without a gap
     key_id INTEGER,
     user_agent TEXT,
     code TEXT, -- of a refusal, as are message and field
     message TEXT,
     field TEXT,
     fault TEXT -- the one that acted on it, in words
   );
   CREATE TABLE repeats (
     id INTEGER PRIMARY KEY,
     event_id INTEGER NOT NULL,
     request_id INTEGER NOT NULL,
     received_at INTEGER NOT NULL
   );
   CREATE INDEX repeats_of_event ON repeats (event_id);`,
  // Removes the index of uuids. Puts the body last, so that SQLite can read the other columns without it. Makes ids without gaps.
  `CREATE TABLE newer_events (
     id INTEGER PRIMARY KEY, -- order of arrival, without a gap
     uuid TEXT, -- in lower case; NULL where the event has none
     name TEXT NOT NULL,
     correlation_key TEXT NOT NULL,
     correlation_value TEXT NOT NULL,
     source TEXT NOT NULL,
     received_at INTEGER NOT NULL, -- milliseconds since 1970
     deliveries INTEGER NOT NULL DEFAULT 1,
     request_id INTEGER, -- NULL for what came before requests were kept
     body TEXT NOT NULL -- JSON, as received
   );
   INSERT INTO newer_events
     SELECT row_number() OVER (ORDER BY id), uuid, name, correlation_key, correlation_value, source, received_at,
       deliveries, request_id, body
     FROM events ORDER BY id;
   DROP TABLE events;
   ALTER TABLE newer_events RENAME TO events;
   CREATE TABLE totals ( -- one row: what would need all events to be counted
     newest_event INTEGER NOT NULL, -- its id, also where it was removed since
     received INTEGER NOT NULL -- of the events that are stored, with repeats
   );
   INSERT INTO totals SELECT count(*), coalesce(sum(deliveries), 0) FROM events;
   INSERT INTO settings VALUES ('id', lower(hex(randomblob(16)))); -- which account a search index belongs to`,
  `ALTER TABLE requests ADD COLUMN size INTEGER; -- of the body; NULL where it was not announced and not read
   UPDATE requests SET size = bytes;
   ALTER TABLE requests DROP COLUMN bytes;
   DELETE FROM settings WHERE name = 'id';
   UPDATE events SET uuid = NULL WHERE uuid IS NOT NULL
     AND id NOT IN (SELECT min(id) FROM events GROUP BY uuid); -- an earlier version may have missed a repeat
   CREATE UNIQUE INDEX uuids ON events (uuid);
   CREATE TABLE progress (indexed INTEGER NOT NULL); -- one row: events up to this id are in the search index
   INSERT INTO progress VALUES (0);`,
];

/** Opens the database in `directory`, or one in memory, and brings its schema up to date. */
export function openDatabase(directory: string | undefined): Database {
  if (directory === undefined) return prepareDatabase(new Libsql(':memory:'));
  const path = join(directory, FILES.database);
  makePrivateFile(path); // it holds API keys
  return prepareDatabase(new Libsql(path, { timeout: BUSY_TIMEOUT_MS }));
}

/** Creates the file if it is missing, and makes it readable by its owner only. SQLite gives the files beside it the same mode. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** The version of a database's schema; 0 for a new one. */
function userVersion(database: Database): number {
  const row = database.prepare('SELECT user_version AS version FROM pragma_user_version').get();
  return (row as { version: number }).version;
}

/** Closes a database. First it moves all data into the one file. */
export function closeDatabase(database: Database): void {
  if (database.open) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Runs `work` in one transaction: if it throws, nothing is stored. If the caller has a transaction, `work` runs in that one. */
export function inTransaction<T>(database: Database, work: () => T): T {
  if (database.inTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function prepareDatabase(database: Database): Database {
  try {
    // With WAL, NORMAL keeps all commits, whenever the process ends. Only a power cut may lose the last ones.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096');
    database.exec('PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY');
    inTransaction(database, () => migrate(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: Database): void {
  const version = userVersion(database);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `it was written by a newer emulator (schema ${version}, this one knows ${MIGRATIONS.length}). Update this one, or choose another directory.`,
    );
  }
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

// mkdir's own `recursive` is not used: below /proc, it never returns (Node 20).
/** Creates a directory that only its owner can open, and its missing parents. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process was faster
  }
}
