import { type Database, inTransaction, type Statement } from '../storage/database.ts';
import { unescapeText } from '../storage/events/escaped-text.ts';
import { hash53 } from '../storage/hash.ts';
import { RowInsert } from '../storage/row-insert.ts';
import { payloadText, withoutEscapes } from './text/payload-text.ts';

// There is one full-text table for this many events. So a search with many hits needs only the newest tables. The beginning of a
// word is looked up in one table after the other. If all events of a table were removed, the table is dropped.
const PARTITION_SIZE = 131_072;

const COLUMNS = ['rowid', 'exact', 'text'];

/** How SQLite splits texts into words. */
export const TOKENIZER = 'unicode61 remove_diacritics 2';

/** What the index needs of an event. */
export interface IndexedEvent {
  readonly id: number;
  readonly name: string;
  readonly correlation_value: string;
  readonly source: string;
  readonly body: string;
}

/** The range of event ids that one full-text table holds. */
export interface Partition {
  readonly number: number;
  readonly first: number;
  readonly last: number;
}

/** The columns whose exact value can be looked up. */
export type ExactField = 'name' | 'correlation_value' | 'source';

// They begin with a private-use character, so that no word of a search is the beginning of one of them.
const PREFIXES: Readonly<Record<ExactField, string>> = {
  name: '\uE000n',
  correlation_value: '\uE000c',
  source: '\uE000s',
};

/** The word in the index for the exact (escaped) value of a column. */
export function exactWord(field: ExactField, value: string): string {
  return PREFIXES[field] + hash53(value);
}

/** The partition of an event. */
function partitionOf(id: number): Partition {
  const number = Math.floor((id - 1) / PARTITION_SIZE);
  return { number, first: number * PARTITION_SIZE + 1, last: (number + 1) * PARTITION_SIZE };
}

/** The full-text index of events. It can be built anew from the events. */
export class SearchIndex {
  readonly #database: Database;
  /** Adds rows to a partition. Only the newest partition grows. */
  #insert: { readonly number: number; readonly rows: RowInsert } | undefined;
  readonly #save: Statement;
  #through: number;
  #numbers: Set<number>;

  constructor(database: Database) {
    this.#database = database;
    this.#save = database.prepare('UPDATE progress SET indexed = ?');
    const { indexed } = database.prepare('SELECT indexed FROM progress').get() as { indexed: number };
    this.#through = indexed;
    this.#numbers = this.#readNumbers();
  }

  /** The id up to which all events are in the index. */
  get through(): number {
    return this.#through;
  }

  /** Adds the events that follow: all of them, or none. */
  add(events: readonly IndexedEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    try {
      inTransaction(this.#database, () => {
        this.#add(events);
        this.#save.run(last.id);
      });
    } catch (error) {
      this.#numbers = this.#readNumbers();
      this.#insert = undefined;
      throw error;
    }
    this.#through = last.id;
  }

  /** Skips events that are gone. */
  skip(through: number): void {
    this.#save.run(through);
    this.#through = through;
  }

  /** The partitions that may hold events from id `first` to `last`, newest first. */
  partitions(first: number, last: number): Partition[] {
    const found: Partition[] = [];
    for (let id = Math.min(last, this.#through); id >= first && id > 0; id = partitionOf(id).first - 1) {
      if (this.#numbers.has(partitionOf(id).number)) found.push(partitionOf(id));
    }
    return found;
  }

  /** Ids of matching events from `first` to `last`, newest first. Empty if the partition is gone. */
  find(partition: Partition, match: string, first: number, last: number, limit: number): number[] {
    if (!this.#numbers.has(partition.number)) return [];
    const rows = this.#database
      .prepare(`${select('rowid AS id', partition)} ORDER BY rowid DESC LIMIT CAST(? AS INTEGER)`)
      .all(match, Math.max(first, partition.first), Math.min(last, partition.last), limit);
    return (rows as { id: number }[]).map(({ id }) => id);
  }

  /** How many events from `first` to `last` match; counts to `limit` at most. */
  count(partition: Partition, match: string, first: number, last: number, limit: number): number {
    if (!this.#numbers.has(partition.number)) return 0;
    const row = this.#database
      .prepare(`SELECT count(*) AS count FROM (${select('rowid', partition)} LIMIT CAST(? AS INTEGER))`)
      .get(match, Math.max(first, partition.first), Math.min(last, partition.last), limit);
    return (row as { count: number }).count;
  }

  /** Removes one partition whose events are all older than `oldest`, if there is one. */
  removeBefore(oldest: number): void {
    for (const number of this.#numbers) {
      if ((number + 1) * PARTITION_SIZE >= oldest) continue;
      if (this.#insert?.number === number) this.#insert = undefined;
      this.#database.exec(`DROP TABLE search_${number}`);
      this.#numbers.delete(number);
      return;
    }
  }

  #add(events: readonly IndexedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    const { number, last } = partitionOf(first.id);
    const within = events.filter(({ id }) => id <= last);
    this.#rowsOf(number).run(within.flatMap(valuesOf));
    this.#add(events.slice(within.length));
  }

  #rowsOf(number: number): RowInsert {
    if (this.#insert?.number !== number) {
      if (!this.#numbers.has(number)) this.#create(number);
      this.#insert = { number, rows: new RowInsert(this.#database, `search_${number}`, COLUMNS) };
    }
    return this.#insert.rows;
  }

  #readNumbers(): Set<number> {
    const tables = this.#database
      .prepare(
        "SELECT substr(name, 8) AS number FROM sqlite_schema WHERE name GLOB 'search_[0-9]*' AND sql GLOB '*fts5*'",
      )
      .all() as { number: string }[];
    return new Set(tables.map(({ number }) => Number(number)));
  }

  #create(number: number): void {
    this.#database.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS search_${number} USING
       fts5(exact, text, content='', columnsize=0, tokenize='${TOKENIZER}')`,
    );
    // With 16, SQLite merges parts of the table less often. That makes adding a quarter cheaper, and a search is still very fast.
    this.#database.exec(`INSERT INTO search_${number} (search_${number}, rank) VALUES ('automerge', 16)`);
    this.#numbers.add(number);
  }
}

/** The column values of an event in its full-text table. */
function valuesOf({ id, name, correlation_value, source, body }: IndexedEvent): (number | string)[] {
  const exact = [
    exactWord('name', name),
    exactWord('correlation_value', correlation_value),
    exactWord('source', source),
  ];
  return [id, exact.join(' '), textOf(name, correlation_value, body)];
}

/** The text in which the words of an event are searched: its name, its customer and its payload. Takes escaped columns. */
export function textOf(name: string, correlationValue: string, body: string): string {
  const payload = withoutEscapes(payloadText(body));
  return `${unescapeText(name)} ${unescapeText(correlationValue)} ${payload}`;
}

// The bounds are cast because numbers arrive as REAL, and FTS5 does not accept REAL as a bound of rowid.
function select(what: string, { number }: Partition): string {
  const range = 'rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)';
  return `SELECT ${what} FROM search_${number} WHERE search_${number} MATCH ? AND ${range}`;
}
