import { ConfigError, type Customer, describe, isNonEmptyString } from '@sluice/protocol';
import { ApiKeyStore } from './storage/api-key-store.ts';
import { type CustomerRecord, CustomerStore } from './storage/customer-store.ts';
import { closeDatabase, type Database, inTransaction, openDatabase } from './storage/database.ts';
import { EventStore } from './storage/event-store.ts';
import { SettingsStore } from './storage/settings-store.ts';

/** The account that the emulator serves: its API keys, its primary key, its customers and its event tracker. */
export class Account {
  readonly apiKeys: ApiKeyStore;
  readonly events: EventStore;
  readonly #customers: CustomerStore;
  readonly #settings: SettingsStore;
  readonly #database: Database;

  /** Opens the account kept in `directory`, or a new one in memory. Throws `SLUICE_STORAGE` errors. */
  constructor(directory: string | undefined) {
    this.#database = openDatabase(directory);
    this.apiKeys = new ApiKeyStore(this.#database);
    this.events = new EventStore(this.#database);
    this.#customers = new CustomerStore(this.#database);
    this.#settings = new SettingsStore(this.#database);
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    return this.#settings.primaryKey;
  }

  /** Selects a primary key. Throws {@link ConfigError} if it is no name, or two customers share a value of it. */
  selectPrimaryKey(name: unknown): void {
    if (!isNonEmptyString(name)) {
      throw new ConfigError(
        'primaryKey',
        `primaryKey must be the name of an attribute, got ${describe(name)}`,
      );
    }
    if (name === this.primaryKey) return;
    inTransaction(this.#database, () => {
      this.#settings.primaryKey = name;
      const shared = this.#customers.refile((attributes) => primaryValue(JSON.parse(attributes), name));
      if (shared === undefined) return;
      const rule = 'must be an attribute that no two customers share a value of';
      throw new ConfigError(
        'primaryKey',
        `primaryKey ${rule}, got ${describe(name)}: two have ${describe(shared)}`,
      );
    });
  }

  /** Adds or replaces customers, all or none, and returns how many were given. Throws {@link ConfigError}. */
  addCustomers(customers: Iterable<unknown>): number {
    const key = this.primaryKey;
    if (key === null) {
      throw new ConfigError('customers', 'customers can be added only after a primary key has been selected');
    }
    const records = Array.from(customers, (customer, index) =>
      toRecord(customer, key, `customers[${index}]`),
    );
    inTransaction(this.#database, () => {
      for (const record of records) this.#customers.put(record);
    });
    return records.length;
  }

  /** The customer as the interface answers it (section 2.3), or undefined. */
  customer(primaryKeyValue: string): Customer | undefined {
    const attributes = this.#customers.find(primaryKeyValue);
    return attributes && { ...JSON.parse(attributes), primary_key: primaryKeyValue };
  }

  close(): void {
    closeDatabase(this.#database);
  }
}

function toRecord(customer: unknown, key: string, at: string): CustomerRecord {
  if (typeof customer !== 'object' || customer === null || Array.isArray(customer)) {
    throw new ConfigError(at, `${at} must be an object of attributes, got ${describe(customer)}`);
  }
  const value = primaryValue(customer, key);
  if (value === undefined) {
    const rule = 'must be a non-empty string: it is the primary key';
    throw new ConfigError(
      `${at}.${key}`,
      `${at}.${key} ${rule}, got ${describe(Reflect.get(customer, key))}`,
    );
  }
  try {
    return { primaryValue: value, attributes: JSON.stringify(customer) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(at, `${at} must hold only what JSON can hold: ${reason}`, { cause: error });
  }
}

function primaryValue(attributes: object, key: string): string | undefined {
  const value: unknown = Reflect.get(attributes, key);
  return isNonEmptyString(value) ? value : undefined;
}
