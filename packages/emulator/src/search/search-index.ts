import { hash } from 'node:crypto';
import { type Database, unescapeText } from '../storage/database.ts';
import { payloadText } from '../storage/event-rows.ts';
import type { Extent } from '../storage/event-store.ts';

// There is one full-text table for this many events. So a search with many hits needs only the newest tables, the beginning of a
// word is soon looked up in one, and one that a search lacks is soon made.
const PART_SIZE = 32_768;
// Events to add at once: that takes a few milliseconds.
const AT_ONCE = 500;
const MOST_BYTES = 8 * 1024 * 1024;
// Text after this many characters is not searched: an event of megabytes would keep the index busy.
const MOST_CHARACTERS = 65_536;

// At least one, however large it is. The sizes are added up without reading the bodies.
const NEXT = `SELECT id, name, correlation_value, source, body FROM events JOIN (
    SELECT id, sum(octet_length(body)) OVER (ORDER BY id) AS bytes FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ${AT_ONCE}
  ) USING (id) WHERE bytes <= ? OR id = ? ORDER BY id`;

/** The number of the part of the index that an event belongs to. */
export function partOf(id: number): number {
  return Math.floor((id - 1) / PART_SIZE);
}

/** The last id of a part. */
export function lastOf(part: number): number {
  return (part + 1) * PART_SIZE;
}

/**
 * The word in the index for the exact (escaped) value of a column. It begins with a private-use character, so that no word of a
 * search is the beginning of it.
 */
export function exactWord(field: string, value: string): string {
  return `\uE000${field[0]}${hash('sha1', value).slice(0, 16)}`;
}

/** The full-text index of events, in parts. It can be built anew from the events. */
export class SearchIndex {
  readonly #database: Database;
  /** Of each part that there is, the id up to which it has its events. */
  readonly #through = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
    const parts = database.arrays<[part: number, through: number]>('SELECT part, through FROM parts');
    for (const [part, through] of parts) this.#through.set(part, through);
  }

  /** The id up to which a part has its events; 0 if there is no such part. */
  through(part: number): number {
    return this.#through.get(part) ?? 0;
  }

  /** How many of the events are not in the index. */
  missing({ oldest, newest }: Extent): number {
    let missing = 0;
    for (let part = partOf(oldest); part <= partOf(newest); part += 1) {
      const first = Math.max(oldest - 1, this.through(part), lastOf(part - 1));
      missing += Math.max(0, Math.min(newest, lastOf(part)) - first);
    }
    return missing;
  }

  /** Adds some events to the newest part that lacks any, or drops a part that is no longer needed. Returns whether it did. */
  step(extent: Extent): boolean {
    const unneeded = [...this.#through.keys()].find((part) => lastOf(part) < extent.oldest);
    if (unneeded !== undefined) {
      this.#database.exec(
        `DROP TABLE IF EXISTS search_${unneeded}; DELETE FROM parts WHERE part = ${unneeded}`,
      );
      return this.#through.delete(unneeded);
    }
    for (let part = partOf(extent.newest); part >= partOf(extent.oldest); part -= 1) {
      if (this.add(part, extent)) return true;
    }
    return false;
  }

  /** Adds some of these events to a part. Returns whether it did: otherwise, the part has them all. */
  add(part: number, { oldest, newest }: Extent): boolean {
    const through = Math.max(oldest - 1, this.through(part), lastOf(part - 1));
    const end = Math.min(newest, lastOf(part));
    if (through >= end) return false;
    const rows = this.#database.arrays<IndexedEvent>(NEXT, through, end, MOST_BYTES, through + 1);
    const last = rows.at(-1)?.[0] ?? end;
    this.#database.transaction(() => {
      if (!this.#through.has(part)) this.#create(part);
      this.#database.insert(`search_${part}`, 'rowid, exact, text', rows.flatMap(valuesOf));
      this.#database.run('INSERT OR REPLACE INTO parts (part, through) VALUES (?, ?)', part, last);
    });
    this.#through.set(part, last);
    return true;
  }

  /** Ids of matching events of a part, from `first` to `last`, newest first. Empty if there is no such part. */
  find(part: number, match: string, first: number, last: number, limit: number): number[] {
    if (!this.#through.has(part)) return [];
    // Numbers arrive as REAL, and FTS5 does not accept REAL as a bound of rowid.
    const ids = `SELECT rowid FROM search_${part}
      WHERE search_${part} MATCH ? AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)
      ORDER BY rowid DESC LIMIT CAST(? AS INTEGER)`;
    return this.#database.arrays<[id: number]>(ids, match, first, last, limit).map(([id]) => id);
  }

  #create(part: number): void {
    const table = `search_${part}`;
    // Only the index is stored, not the texts.
    const options = "content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'";
    this.#database.exec(`CREATE VIRTUAL TABLE ${table} USING fts5(exact, text, ${options})`);
    // With 16, SQLite merges pieces of the table less often. That makes adding a quarter cheaper, and a search is still very fast.
    this.#database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 16)`);
  }
}

type IndexedEvent = [id: number, name: string, correlation_value: string, source: string, body: string];

/** The column values of an event in its full-text table. Words are searched in its name, its customer and its payload. */
function valuesOf([id, name, correlation_value, source, body]: IndexedEvent): (number | string)[] {
  const exact = Object.entries({ name, correlation_value, source }).map(([field, value]) =>
    exactWord(field, value),
  );
  const payload = withoutEscapes(payloadText(body, MOST_CHARACTERS));
  return [id, exact.join(' '), `${unescapeText(name)} ${unescapeText(correlation_value)} ${payload}`];
}

/** Resolves the escapes of a JSON text. The result is for finding words, not for parsing. */
function withoutEscapes(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, character: string) => {
    if (hex === undefined) return '"\\/'.includes(character) ? character : ' ';
    return hex === '0000' ? ' ' : String.fromCharCode(Number.parseInt(hex, 16));
  });
}
