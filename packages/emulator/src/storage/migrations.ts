// One entry for each version of the schema; `user_version` counts how many have run. Add new ones at the end, and never edit one.
// Columns of free text hold it escaped: see text.ts. The tables of the search index are made as they are needed: see
// ../search/search-index.ts.
export const MIGRATIONS: readonly string[] = [
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
