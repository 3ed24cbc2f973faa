import type { Database, Statement } from './database.ts';
import { escapeText, unescapeText } from './escaped-text.ts';

/** The name under which the selected primary key is kept; queries refer to it as well. */
export const PRIMARY_KEY_SETTING = 'primary_key';

/** Named settings of the account. */
export class SettingsStore {
  readonly #read: Statement;
  readonly #write: Statement;

  constructor(database: Database) {
    this.#read = database.prepare('SELECT value FROM settings WHERE name = ?');
    this.#write = database.prepare(
      'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    );
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    const row = this.#read.get(PRIMARY_KEY_SETTING) as { value: string } | undefined;
    return row === undefined ? null : unescapeText(row.value);
  }

  set primaryKey(name: string) {
    this.#write.run(PRIMARY_KEY_SETTING, escapeText(name));
  }
}
