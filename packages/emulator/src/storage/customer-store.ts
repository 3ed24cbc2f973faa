import type { Database, Statement } from './database.ts';
import { escapeText } from './escaped-text.ts';

/** A customer, ready to be stored. */
export interface CustomerRecord {
  /** Its value of the selected primary key. */
  readonly primaryValue: string;
  /** All of its attributes, as JSON. */
  readonly attributes: string;
}

/** The customers of the account, found by their value of the selected primary key. */
export class CustomerStore {
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #all: Statement;
  readonly #forgetValues: Statement;
  readonly #setValue: Statement;

  constructor(database: Database) {
    this.#find = database.prepare('SELECT attributes FROM customers WHERE primary_value = ?');
    this.#put = database.prepare(
      `INSERT INTO customers (primary_value, attributes) VALUES (?, ?)
       ON CONFLICT (primary_value) DO UPDATE SET attributes = excluded.attributes`,
    );
    this.#all = database.prepare('SELECT id, attributes FROM customers');
    this.#forgetValues = database.prepare('UPDATE customers SET primary_value = NULL');
    this.#setValue = database.prepare('UPDATE customers SET primary_value = ? WHERE id = ?');
  }

  /** The attributes of a customer, as JSON. */
  find(primaryValue: string): string | undefined {
    const row = this.#find.get(escapeText(primaryValue)) as { attributes: string } | undefined;
    return row?.attributes;
  }

  /** Adds a customer, or replaces the one with the same primary key value. */
  put({ primaryValue, attributes }: CustomerRecord): void {
    this.#put.run(escapeText(primaryValue), attributes);
  }

  /**
   * Files every customer under another primary key; one for which `primaryValue` gives undefined is kept but not found.
   * Returns the first value that two customers share, if any: then the caller must roll back.
   */
  refile(primaryValue: (attributes: string) => string | undefined): string | undefined {
    const rows = this.#all.all() as { id: number; attributes: string }[];
    const seen = new Set<string>();
    this.#forgetValues.run();
    for (const { id, attributes } of rows) {
      const value = primaryValue(attributes);
      if (value === undefined) continue;
      if (seen.has(value)) return value;
      seen.add(value);
      this.#setValue.run(escapeText(value), id);
    }
    return undefined;
  }
}
