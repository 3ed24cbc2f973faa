import type { Database, Value } from './database.ts';

let tables = 0;

/**
 * A temporary table of a connection. Many rows are staged in it in portions, and then stored with one statement: all or none. A
 * transaction over all portions would include what requests store in between. Its column `at` counts the rows, from 1.
 */
export class Staging implements Disposable {
  readonly table: string;
  readonly #database: Database;
  readonly #columns: string;
  readonly #unused: string[];

  constructor(database: Database, columns: string) {
    this.#database = database;
    this.#columns = columns;
    this.#unused = database.unusedTables.get(columns) ?? [];
    database.unusedTables.set(columns, this.#unused);
    tables += 1;
    this.table = this.#unused.pop() ?? `staged_${tables}`;
    database.exec(`CREATE TEMP TABLE IF NOT EXISTS ${this.table} (at INTEGER PRIMARY KEY, ${columns})`);
  }

  /** Stages some rows. */
  add(values: readonly Value[]): void {
    this.#database.insert(this.table, this.#columns, values);
  }

  [Symbol.dispose](): void {
    if (!this.#database.isOpen) return;
    this.#database.run(`DELETE FROM ${this.table}`);
    this.#unused.push(this.table);
  }
}
