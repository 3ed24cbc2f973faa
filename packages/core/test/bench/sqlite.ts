import Libsql from 'libsql';
import type { SqliteDatabase } from '../../src/keep/sqlite/sqlite-store.ts';

/** A real SQLite database, in memory unless a file is named. */
export class Sqlite implements SqliteDatabase {
  readonly statements: string[] = [];
  /** If set, each statement rejects with it. */
  failure: Error | undefined;
  readonly #database: Libsql.Database;

  constructor(file: string = ':memory:') {
    this.#database = new Libsql(file);
  }

  async execute(sql: string, params: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
    // As on a device, the result comes later.
    await new Promise((resolve) => setImmediate(resolve));
    this.statements.push(sql);
    if (this.failure) throw this.failure;
    const statement = this.#database.prepare(sql);
    if (statement.reader) return { rows: statement.all(...params) as Record<string, unknown>[] };
    statement.run(...params);
    return { rows: [] };
  }

  close(): void {
    this.#database.close();
  }
}
