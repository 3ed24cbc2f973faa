import type { Database, Value } from './database.ts';

let stagings = 0;

/**
 * A temporary table of this connection. Many rows are staged in it in portions, and then stored with one statement: all or none. A
 * transaction over all portions would include what requests store in between.
 */
export class Staging implements Disposable {
  readonly table: string;
  readonly #database: Database;
  readonly #columns: string;

  constructor(database: Database, columns: string) {
    stagings += 1;
    this.table = `staged_${stagings}`;
    this.#database = database;
    this.#columns = columns;
    database.exec(`CREATE TEMP TABLE ${this.table} (at INTEGER PRIMARY KEY, ${columns})`);
  }

  /** Stages some rows. */
  add(values: readonly Value[]): void {
    this.#database.insert(this.table, this.#columns, values);
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.exec(`DROP TABLE ${this.table}`);
  }
}
