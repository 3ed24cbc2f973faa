import type { Note } from '../note.ts';
import { type Execute, type SqliteDatabase, SqliteStore } from './sqlite-store.ts';

/** A note in a SQLite database. */
export class SqliteNote implements Note {
  readonly #store: SqliteStore;
  readonly #place: string;

  constructor(database: SqliteDatabase, place: string) {
    this.#store = SqliteStore.of(database);
    this.#place = place;
  }

  read(): Promise<string | undefined> {
    return this.#store.use('read a note', (execute) => this.#read(execute));
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    await this.#store.use('keep a note', async (execute) => {
      const text = next(await this.#read(execute));
      await execute('INSERT OR REPLACE INTO sluice_notes VALUES (?, ?)', this.#place, text);
    });
  }

  async #read(execute: Execute): Promise<string | undefined> {
    const [row] = await execute('SELECT text FROM sluice_notes WHERE place = ?', this.#place);
    return row && String(row.text);
  }
}
