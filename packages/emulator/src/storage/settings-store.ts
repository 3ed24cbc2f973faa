import type { BehaviourChange } from '../admin/contract.ts';
import type { BehaviourMemory } from '../behaviour/behaviour-switch.ts';
import type { Database } from './database.ts';
import { escapeText, unescapeText } from './text.ts';

/** The name of the setting that holds the selected primary key. SQL queries use it as well. */
export const PRIMARY_KEY_SETTING = 'primary_key';
const BEHAVIOUR_SETTING = 'behaviour';

/** Named settings of the account. */
export class SettingsStore implements BehaviourMemory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    const value = this.#read(PRIMARY_KEY_SETTING);
    return value === undefined ? null : unescapeText(value);
  }

  set primaryKey(name: string) {
    this.#write(PRIMARY_KEY_SETTING, escapeText(name));
  }

  /** The chosen behaviour, not checked; undefined if none was ever chosen. */
  get behaviour(): BehaviourChange | undefined {
    const value = this.#read(BEHAVIOUR_SETTING);
    return value === undefined ? undefined : JSON.parse(value);
  }

  set behaviour(choice: BehaviourChange) {
    this.#write(BEHAVIOUR_SETTING, JSON.stringify(choice));
  }

  #read(name: string): string | undefined {
    return this.#database.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)?.value;
  }

  #write(name: string, value: string): void {
    this.#database.run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, value);
  }
}
