/** The version of the schema. A database of any other version is refused. */
export const VERSION = 7;

/**
 * The schema. Columns of free text hold it escaped: see database.ts. The tables of the search index are made as they are needed:
 * see ../search/search-index.ts.
 */
export const SCHEMA = `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL, -- times as ISO 8601
    revoked_at TEXT,
    last_used_at TEXT
  );
  CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    primary_value TEXT UNIQUE, -- of the selected primary key; NULL for a customer without it
    attributes TEXT NOT NULL -- JSON
  );
  CREATE TABLE events ( -- the body is last, so that SQLite can read the other columns without it
    id INTEGER PRIMARY KEY, -- order of arrival, without a gap
    uuid TEXT, -- in lower case; NULL where the event has none
    name TEXT NOT NULL,
    correlation_key TEXT NOT NULL,
    correlation_value TEXT NOT NULL,
    source TEXT NOT NULL,
    received_at INTEGER NOT NULL, -- milliseconds since 1970
    deliveries INTEGER NOT NULL DEFAULT 1,
    request_id INTEGER,
    body TEXT NOT NULL -- JSON, as received
  );
  CREATE UNIQUE INDEX events_by_uuid ON events (unhex(uuid, '-')); -- half as large as one of the texts
  CREATE TABLE repeats (
    id INTEGER PRIMARY KEY,
    event_id INTEGER NOT NULL,
    request_id INTEGER NOT NULL,
    received_at INTEGER NOT NULL
  );
  CREATE INDEX repeats_of_event ON repeats (event_id);
  CREATE TABLE totals ( -- one row: what would need all events to be counted
    newest_event INTEGER NOT NULL, -- its id, also where it was removed since
    received INTEGER NOT NULL -- of the events that are stored, with repeats
  );
  INSERT INTO totals VALUES (0, 0);
  CREATE TABLE parts ( -- of the search index
    part INTEGER PRIMARY KEY,
    through INTEGER NOT NULL -- it has its events up to this id
  );
  CREATE TABLE requests (
    id INTEGER PRIMARY KEY, -- order of arrival
    key_id INTEGER,
    row TEXT NOT NULL, -- JSON, as a RequestRow
    status INTEGER GENERATED ALWAYS AS (row ->> '$.status') STORED,
    code TEXT GENERATED ALWAYS AS (row ->> '$.error.code') STORED,
    fault TEXT GENERATED ALWAYS AS (row ->> '$.fault') STORED,
    searched TEXT GENERATED ALWAYS AS (concat_ws(' ', coalesce(status, 'cut'), row ->> '$.method', row ->> '$.path',
      row ->> '$.userAgent', code, row ->> '$.error.message')) STORED
  );`;
