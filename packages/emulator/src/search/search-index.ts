import { hash } from 'node:crypto';
import { type Database, unescapeText } from '../storage/database.ts';
import { payloadText } from '../storage/event-rows.ts';
import type { Extent } from '../storage/event-store.ts';

// There is one full-text table for this many events. So a search with many hits needs only the newest tables. The beginning of a
// word is looked up in one table after the other. If all events of a table were removed, the table is dropped.
const PARTITION_SIZE = 131_072;
// Events to add at once: that takes a few milliseconds.
const AT_ONCE = 500;
const MOST_BYTES = 8 * 1024 * 1024;
// Text after this many characters is not searched: an event of megabytes would keep the index busy.
const MOST_CHARACTERS = 65_536;

/** How SQLite splits texts into words, and what a full-text table stores: only the index. */
export const FTS_OPTIONS = "content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'";

/** The range of event ids that one full-text table holds. */
export interface Partition {
  readonly table: string;
  readonly first: number;
  readonly last: number;
}

/**
 * The word in the index for the exact (escaped) value of a column. It begins with a private-use character, so that no word of a
 * search is the beginning of it.
 */
export function exactWord(field: string, value: string): string {
  return `\uE000${field[0]}${hash('sha1', value).slice(0, 16)}`;
}

/** The full-text index of events. It can be built anew from the events. */
export class SearchIndex {
  readonly #database: Database;
  #through: number;

  constructor(database: Database) {
    this.#database = database;
    this.#through = database.get<{ indexed: number }>('SELECT indexed FROM totals')?.indexed ?? 0;
  }

  /** The id up to which all events are in the index. */
  get through(): number {
    return this.#through;
  }

  /** Adds some of the events that are not in the index, and returns whether more are left. Removes what is no longer needed. */
  step({ oldest, newest }: Extent): boolean {
    if (this.#through < oldest - 1) this.#save(oldest - 1);
    const [unneeded] = this.#tables().filter(({ last }) => last < oldest);
    if (unneeded !== undefined) this.#database.exec(`DROP TABLE ${unneeded.table}`);
    return this.#through < newest && this.#addSome(newest) && this.#through < newest;
  }

  /** The partitions that may hold events from id `first` to `last`, newest first. */
  partitions(first: number, last: number): Partition[] {
    const found = this.#tables().filter((each) => each.first <= last && each.last >= first);
    return found.sort((one, other) => other.first - one.first);
  }

  /** Ids of matching events from `first` to `last`, newest first. Empty if the partition is gone. */
  find({ table, ...range }: Partition, match: string, first: number, last: number, limit: number): number[] {
    if (!this.#has(table)) return [];
    // Numbers arrive as REAL, and FTS5 does not accept REAL as a bound of rowid.
    const sql = `SELECT rowid FROM ${table}
      WHERE ${table} MATCH ? AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)
      ORDER BY rowid DESC LIMIT CAST(? AS INTEGER)`;
    const bounds = [Math.max(first, range.first), Math.min(last, range.last)];
    return this.#database.arrays<[id: number]>(sql, match, ...bounds, limit).map(([id]) => id);
  }

  #addSome(newest: number): boolean {
    const { table, last: end } = partitionAt(Math.floor(this.#through / PARTITION_SIZE));
    let bytes = 0;
    let last = this.#through;
    const sizes = 'SELECT id, octet_length(body) FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?';
    const next = this.#database.arrays<[id: number, bytes: number]>(
      sizes,
      last,
      Math.min(newest, end),
      AT_ONCE,
    );
    for (const [id, size] of next) {
      bytes += size;
      if (bytes > MOST_BYTES && last > this.#through) break;
      last = id;
    }
    const rows = this.#database.arrays<IndexedEvent>(
      'SELECT id, name, correlation_value, source, body FROM events WHERE id > ? AND id <= ? ORDER BY id',
      ...[this.#through, last],
    );
    this.#database.transaction(() => {
      if (!this.#has(table)) this.#create(table);
      this.#database.insert(table, 'rowid, exact, text', rows.flatMap(valuesOf));
      this.#save(last);
    });
    return rows.length > 0;
  }

  #save(through: number): void {
    this.#database.run('UPDATE totals SET indexed = ?', through);
    this.#through = through;
  }

  #create(table: string): void {
    this.#database.exec(`CREATE VIRTUAL TABLE ${table} USING fts5(exact, text, ${FTS_OPTIONS})`);
    // With 16, SQLite merges parts of the table less often. That makes adding a quarter cheaper, and a search is still very fast.
    this.#database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 16)`);
  }

  #has(table: string): boolean {
    return this.#tables().some((each) => each.table === table);
  }

  #tables(): Partition[] {
    const sql =
      "SELECT substr(name, 8) FROM sqlite_schema WHERE name GLOB 'search_[0-9]*' AND sql GLOB '*fts5*'";
    return this.#database.arrays<[number: string]>(sql).map(([number]) => partitionAt(Number(number)));
  }
}

function partitionAt(number: number): Partition {
  const first = number * PARTITION_SIZE + 1;
  return { table: `search_${number}`, first, last: first + PARTITION_SIZE - 1 };
}

type IndexedEvent = [id: number, name: string, correlation_value: string, source: string, body: string];

/** The column values of an event in its full-text table. */
function valuesOf([id, name, correlation_value, source, body]: IndexedEvent): (number | string)[] {
  const exact = Object.entries({ name, correlation_value, source }).map(([field, value]) =>
    exactWord(field, value),
  );
  return [id, exact.join(' '), textOf(name, correlation_value, body)];
}

/** The text in which the words of an event are searched: its name, its customer and its payload. Takes escaped columns. */
export function textOf(name: string, correlationValue: string, body: string): string {
  const payload = withoutEscapes(payloadText(body, MOST_CHARACTERS));
  return `${unescapeText(name)} ${unescapeText(correlationValue)} ${payload}`;
}

/** Resolves the escapes of a JSON text. The result is for finding words, not for parsing. */
function withoutEscapes(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, character: string) => {
    if (hex === undefined) return '"\\/'.includes(character) ? character : ' ';
    return hex === '0000' ? ' ' : String.fromCharCode(Number.parseInt(hex, 16));
  });
}
