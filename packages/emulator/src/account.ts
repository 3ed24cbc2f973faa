import type { Customer } from '@sluice/protocol';
import { Audience } from './audience.ts';
import { ApiKeyStore } from './storage/api-key-store.ts';
import { closeDatabase, type Database, openDatabase } from './storage/database.ts';
import { EventStore } from './storage/event-store.ts';
import { SettingsStore } from './storage/settings-store.ts';

/** The account that the emulator serves: its API keys, its primary key, its customers and its event tracker. */
export class Account {
  readonly apiKeys: ApiKeyStore;
  readonly events: EventStore;
  readonly audience: Audience;
  readonly #database: Database;

  /** Opens the account kept in `directory`, or a new one in memory. Throws `SLUICE_STORAGE` errors. */
  constructor(directory: string | undefined) {
    this.#database = openDatabase(directory);
    this.apiKeys = new ApiKeyStore(this.#database);
    this.events = new EventStore(this.#database);
    this.audience = new Audience(this.#database, new SettingsStore(this.#database));
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    return this.audience.primaryKey;
  }

  /** Selects a primary key. Throws {@link ConfigError} if it is no name, or two customers share a value of it. */
  selectPrimaryKey(name: unknown): void {
    this.audience.selectPrimaryKey(name);
  }

  /** Adds or replaces customers, all or none, and returns how many were given. Throws {@link ConfigError}. */
  addCustomers(customers: Iterable<unknown>): number {
    return this.audience.addCustomers(customers);
  }

  /** The customer as the interface answers it (section 2.3), or undefined. */
  customer(primaryKeyValue: string): Customer | undefined {
    return this.audience.customer(primaryKeyValue);
  }

  close(): void {
    closeDatabase(this.#database);
  }
}
