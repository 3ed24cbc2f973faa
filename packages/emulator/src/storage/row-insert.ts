import type { Database, Statement } from './database.ts';

// Rows for one statement: with fewer statements, less time goes into calling them.
const AT_ONCE = 50;

/** Inserts rows into a table, many with one statement. */
export class RowInsert {
  readonly #width: number;
  readonly #one: Statement;
  readonly #many: Statement;

  constructor(database: Database, table: string, columns: readonly string[], verb = 'INSERT') {
    const row = `(${columns.map(() => '?').join(', ')})`;
    const insert = (rows: number) =>
      database.prepare(
        `${verb} INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`,
      );
    this.#width = columns.length;
    this.#one = insert(1);
    this.#many = insert(AT_ONCE);
  }

  /** `values`: first the values of the first row, then those of the second, and so on. */
  run(values: readonly unknown[]): void {
    const size = AT_ONCE * this.#width;
    let at = 0;
    for (; at + size <= values.length; at += size) this.#many.run(values.slice(at, at + size));
    for (; at < values.length; at += this.#width) this.#one.run(values.slice(at, at + this.#width));
  }
}
