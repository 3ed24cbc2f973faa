import type { Database } from './database.ts';

type Value = string | number | null;

// Rows for one statement: with fewer statements, less time goes into calling them.
const AT_ONCE = 50;

/** Inserts rows into a table, many with one statement. `values`: first those of the first row, then those of the second, and so on. */
export function insertRows(
  database: Database,
  table: string,
  columns: string,
  values: readonly Value[],
): void {
  const width = columns.split(',').length;
  const row = `(${Array(width).fill('?').join(', ')})`;
  for (let at = 0; at < values.length; ) {
    const rows = values.length - at >= AT_ONCE * width ? AT_ONCE : 1;
    const sql = `INSERT INTO ${table} (${columns}) VALUES ${Array(rows).fill(row).join(', ')}`;
    database.run(sql, ...values.slice(at, at + rows * width));
    at += rows * width;
  }
}

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
    insertRows(this.#database, this.table, this.#columns, values);
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.exec(`DROP TABLE ${this.table}`);
  }
}
