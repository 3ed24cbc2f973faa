import type { Database } from './database.ts';
import { escapeText } from './escaped-text.ts';
import { RowInsert } from './row-insert.ts';

/** A customer, ready to be stored. */
export interface CustomerRecord {
  /** Its value of the selected primary key. */
  readonly primaryValue: string;
  /** All of its attributes, as JSON. */
  readonly attributes: string;
}

/**
 * Customers on their way into the audience. They are put aside in portions, in a table of this connection alone, and stored
 * with one statement, all or none: a transaction over all portions would take in what requests store in between.
 */
export class CustomerStaging implements Disposable {
  readonly #database: Database;
  readonly #table: string;
  readonly #insert: RowInsert;

  /** `number` tells those apart that are under way at once. */
  constructor(database: Database, number: number) {
    this.#database = database;
    this.#table = `temp.customers_${number}`;
    database.exec(
      `CREATE TABLE ${this.#table} (id INTEGER PRIMARY KEY, primary_value TEXT NOT NULL, attributes TEXT NOT NULL)`,
    );
    this.#insert = new RowInsert(database, this.#table, ['primary_value', 'attributes']);
  }

  /** Puts some aside. */
  add(records: readonly CustomerRecord[]): void {
    this.#insert.run(
      records.flatMap(({ primaryValue, attributes }) => [escapeText(primaryValue), attributes]),
    );
  }

  /** Stores all that were put aside, in their order; one whose primary key value is there takes that one's place. */
  store(): void {
    this.#database.exec(
      `INSERT INTO customers (primary_value, attributes)
       SELECT primary_value, attributes FROM ${this.#table} WHERE true ORDER BY id
       ON CONFLICT (primary_value) DO UPDATE SET attributes = excluded.attributes`,
    );
  }

  [Symbol.dispose](): void {
    if (this.#database.open) this.#database.exec(`DROP TABLE ${this.#table}`);
  }
}
