import type { Database } from '../database.ts';
import { escapeText } from '../events/escaped-text.ts';
import { RowInsert } from '../row-insert.ts';

/** A customer, ready to be stored. */
export interface CustomerRecord {
  /** Its value of the selected primary key. */
  readonly primaryValue: string;
  /** All its attributes, as JSON. */
  readonly attributes: string;
}

/**
 * Customers that are being imported. They are staged in portions, in a temporary table of this connection, and then stored with
 * one statement: all or none. A transaction over all portions would include what requests store in between.
 */
export class CustomerStaging implements Disposable {
  readonly #database: Database;
  readonly #table: string;
  readonly #insert: RowInsert;

  /** `number` distinguishes imports that run at the same time. */
  constructor(database: Database, number: number) {
    this.#database = database;
    this.#table = `temp.customers_${number}`;
    database.exec(
      `CREATE TABLE ${this.#table} (id INTEGER PRIMARY KEY, primary_value TEXT NOT NULL, attributes TEXT NOT NULL)`,
    );
    this.#insert = new RowInsert(database, this.#table, ['primary_value', 'attributes']);
  }

  /** Stages some customers. */
  add(records: readonly CustomerRecord[]): void {
    this.#insert.run(
      records.flatMap(({ primaryValue, attributes }) => [escapeText(primaryValue), attributes]),
    );
  }

  /** Stores all staged customers, in order. An existing customer with the same primary key value is replaced. */
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
