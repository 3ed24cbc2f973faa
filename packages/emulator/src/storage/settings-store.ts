import type { BehaviourChange } from '../admin/contract.ts';
import type { BehaviourMemory } from '../behaviour/behaviour-switch.ts';
import type { Database, Statement } from './database.ts';
import { escapeText, unescapeText } from './events/escaped-text.ts';

/** The name of the setting that holds the selected primary key. SQL queries use it as well. */
export const PRIMARY_KEY_SETTING = 'primary_key';
const BEHAVIOUR_SETTING = 'behaviour';

/** Named settings of the account. */
export class SettingsStore implements BehaviourMemory {
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
    const value = this.#valueOf(PRIMARY_KEY_SETTING);
    return value === undefined ? null : unescapeText(value);
  }

  set primaryKey(name: string) {
    this.#write.run(PRIMARY_KEY_SETTING, escapeText(name));
  }

  /** The chosen behaviour, not checked; undefined if none was ever chosen. */
  get behaviour(): BehaviourChange | undefined {
    const value = this.#valueOf(BEHAVIOUR_SETTING);
    return value === undefined ? undefined : JSON.parse(value);
  }

  set behaviour(choice: BehaviourChange) {
    this.#write.run(BEHAVIOUR_SETTING, JSON.stringify(choice));
  }

  #valueOf(name: string): string | undefined {
    const row = this.#read.get(name) as { value: string } | undefined;
    return row?.value;
  }
}
