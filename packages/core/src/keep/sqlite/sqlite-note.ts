import { uuid } from '../../base/uuid.ts';
import type { Note } from '../note.ts';
import { type Execute, type SqliteDatabase, SqliteStore } from './sqlite-store.ts';

/** A note in a SQLite database. */
export class SqliteNote implements Note {
  readonly #database: SqliteDatabase;
  readonly #store: SqliteStore;
  readonly #place: string;

  constructor(database: SqliteDatabase, place: string) {
    this.#database = database;
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

  /** The key is a note of its own. Without `crypto.subtle` there is none. */
  async digest(text: string): Promise<string> {
    const encoder = new TextEncoder();
    let key = '';
    try {
      const { subtle } = crypto;
      await new SqliteNote(this.#database, `${this.#place} key`).change((stored) => {
        key = stored ?? uuid() + uuid();
        return key;
      });
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const imported = await subtle.importKey('raw', encoder.encode(key), hmac, false, ['sign']);
      return new Uint8Array(await subtle.sign('HMAC', imported, encoder.encode(text))).join();
    } catch {
      return uuid();
    }
  }

  async #read(execute: Execute): Promise<string | undefined> {
    const [row] = await execute('SELECT text FROM sluice_notes WHERE place = ?', this.#place);
    return row && String(row.text);
  }
}
