import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ConfigError, type Customer } from '@sluice/protocol';
import { describe, isNonEmptyString } from '@sluice/protocol/toolbox';
import { stringify } from 'csv-stringify/sync';
import type {
  CustomerImport,
  CustomerRow,
  CustomerRows,
  PrimaryKeyPreview,
} from '../admin/audience-contract.ts';
import { Refusal } from '../events/refusal.ts';
import { quote } from '../quote.ts';
import type { Database } from '../storage/database.ts';
import { ATTRIBUTED } from '../storage/event-rows.ts';
import type { SettingsStore } from '../storage/settings-store.ts';
import { unescapeText } from '../storage/text.ts';
import {
  type CustomerQuery,
  type CustomerRecord,
  CustomerStore,
  type StoredCustomer,
} from './customer-store.ts';
import { parseCustomersCsv } from './customers-csv.ts';

// Customers staged in one turn, which takes a few milliseconds.
const AT_ONCE = 500;
const PROBLEMS_TOLD = 100;
const SAMPLE = 5;
const SUGGESTIONS = 50;
const SUGGESTED_FROM = 1_000;
// Enough to show what another primary key means, and quick to read however many events are stored.
const PREVIEWED = 10_000;

/** The audience section of the account: its customers, and the attribute that identifies them. */
export class Audience {
  readonly #database: Database;
  readonly #customers: CustomerStore;
  readonly #settings: SettingsStore;

  constructor(database: Database, settings: SettingsStore) {
    this.#database = database;
    this.#customers = new CustomerStore(database);
    this.#settings = settings;
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    return this.#settings.primaryKey;
  }

  /** Whether there is any customer. */
  get hasCustomers(): boolean {
    return this.#customers.hasAny;
  }

  /** How often customers or the primary key were changed. */
  get changes(): number {
    return this.#customers.changes;
  }

  /**
   * Selects a primary key. Throws {@link ConfigError} if `name` is not a non-empty string, or if two customers have the same
   * value of it.
   */
  selectPrimaryKey(name: unknown): void {
    checkName(name);
    if (name === this.primaryKey) return;
    this.#database.transaction(() => {
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

  /**
   * Returns what selecting `name` would change, and changes nothing. Throws {@link ConfigError} if `name` is not a non-empty
   * string.
   */
  previewPrimaryKey(name: unknown): PrimaryKeyPreview {
    checkName(name);
    const found = new Set<string>();
    let shared: string | null = null;
    const all = this.#customers.all();
    let without = 0;
    for (const attributes of all) {
      const value = primaryValue(JSON.parse(attributes), name);
      if (value === undefined) without += 1;
      else if (found.has(value)) shared ??= value;
      else found.add(value);
    }
    const rows = this.#database.all<{ key: string; value: string; attributed: number }>(
      `SELECT correlation_key AS key, correlation_value AS value, ${ATTRIBUTED} AS attributed
       FROM events ORDER BY id DESC LIMIT ${PREVIEWED}`,
    );
    const then = rows.filter((row) => unescapeText(row.key) === name && found.has(unescapeText(row.value)));
    const events = {
      looked: rows.length,
      attributedNow: rows.filter(({ attributed }) => attributed === 1).length,
      attributedThen: then.length,
    };
    return { primaryKey: name, found: all.length - without, without, shared, events };
  }

  /** Names of the attributes that have text values among the newest 1,000 customers, most frequent first, at most 50. */
  attributeNames(): string[] {
    const counts = new Map<string, number>();
    for (const { attributes } of this.#customers.list({ limit: SUGGESTED_FROM }).customers) {
      for (const [name, value] of Object.entries(JSON.parse(attributes))) {
        if (isNonEmptyString(value)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
    const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
    return names.slice(0, SUGGESTIONS);
  }

  /** Adds or replaces all of these customers, or none. Returns how many were passed in. Throws {@link ConfigError}. */
  addCustomers(customers: Iterable<unknown>): number {
    const key = this.#requireKey();
    const records = Array.from(customers, (customer, index) =>
      toRecord(customer, key, `customers[${index}]`),
    );
    this.#customers.put(records);
    return records.length;
  }

  /** The customer as the interface returns it (section 2.3); undefined if there is none. */
  customer(primaryKeyValue: string): Customer | undefined {
    const found = this.#customers.find(primaryKeyValue);
    return found && { ...JSON.parse(found.attributes), primary_key: primaryKeyValue };
  }

  /** The stored customers, newest first. */
  list(query: CustomerQuery): CustomerRows {
    const { customers, total } = this.#customers.list({ ...query, limit: query.limit + 1 });
    const rows = customers.slice(0, query.limit).map(toRow);
    return { customers: rows, total, hasMore: customers.length > query.limit };
  }

  /** The customer with this id. */
  get(id: number): CustomerRow | undefined {
    const stored = this.#customers.get(id);
    return stored && toRow(stored);
  }

  /** Adds one customer. Its primary key value must be new. Throws {@link ConfigError}. */
  create(attributes: unknown): CustomerRow {
    const record = this.#newRecord(attributes, undefined);
    this.#customers.put([record]);
    const created = this.#customers.find(record.primaryValue);
    if (created === undefined) throw new Error('A customer is gone right after it was added');
    return toRow(created);
  }

  /**
   * Replaces the attributes of a customer, also its primary key value. Returns undefined if there is no such customer. If `version`
   * is given and the customer has another one, throws {@link Refusal}. Throws {@link ConfigError} for wrong attributes.
   */
  update(id: number, attributes: unknown, version?: string): CustomerRow | undefined {
    const before = this.get(id);
    if (before === undefined) return undefined;
    if (version !== undefined && version !== before.version) {
      const message =
        'The customer was changed since you read it, so your changes were not saved. Read it again, then repeat them.';
      throw new Refusal('version_conflict', message);
    }
    this.#customers.update(id, this.#newRecord(attributes, id));
    return this.get(id);
  }

  /** Deletes a customer; its events stay. Returns whether there was one. */
  remove(id: number): boolean {
    return this.#customers.remove(id);
  }

  /** All customers as CSV, oldest first: the same format as for the import. A value that is no text is written as JSON. */
  export(): string {
    const customers: Customer[] = this.#customers.all().map((attributes) => JSON.parse(attributes));
    const columns = [...new Set(customers.flatMap((customer) => Object.keys(customer)))];
    const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    const rows = customers.map((customer) => columns.map((name) => text(customer[name])));
    return stringify([columns, ...rows], { escape_formulas: true });
  }

  /** Deletes all customers. */
  clear(): void {
    this.#customers.clear();
  }

  /**
   * Reads customers from CSV and, unless it is only a `preview`, adds or replaces them: all, or none if there is a problem. It
   * works in portions, and the emulator serves requests between them. These requests see all of the customers or none. Throws
   * {@link ConfigError}.
   */
  async import(csv: string, preview: boolean): Promise<CustomerImport> {
    const key = this.#requireKey();
    const { columns, customers, problems } = await parseCustomersCsv(csv, key);
    const isRight = problems.length === 0;
    const replaced = isRight ? await this.#takeMany(customers, key, preview) : 0;
    return {
      columns,
      lines: customers.length,
      added: isRight ? customers.length - replaced : 0,
      replaced,
      sample: customers.slice(0, SAMPLE),
      problems: problems.slice(0, PROBLEMS_TOLD),
      problemCount: problems.length,
    };
  }

  /** Stores customers, unless it is only a preview. Returns how many of them existed before. */
  async #takeMany(customers: readonly Customer[], key: string, preview: boolean): Promise<number> {
    let known = 0;
    using staging = this.#customers.stage();
    for (let at = 0; at < customers.length; at += AT_ONCE) {
      const records = customers
        .slice(at, at + AT_ONCE)
        .map((customer, index) => toRecord(customer, key, `customers[${at + index}]`));
      known += this.#customers.countKnown(records);
      if (!preview) staging.add(records);
      await setImmediate();
    }
    if (this.primaryKey !== key) {
      const message = `primaryKey was ${describe(key)} when the import began, and is ${describe(this.primaryKey)} now: nothing was imported. Import the file again`;
      throw new ConfigError('primaryKey', message);
    }
    if (preview) return known;
    staging.store();
    return known;
  }

  #newRecord(attributes: unknown, id: number | undefined): CustomerRecord {
    const key = this.#requireKey();
    const record = toRecord(attributes, key, 'attributes');
    const other = this.#customers.find(record.primaryValue);
    if (other === undefined || other.id === id) return record;
    const rule = `must be a value that no other customer has: one with ${quote(record.primaryValue)} is there already`;
    throw new ConfigError(`attributes.${key}`, `attributes.${key} ${rule}`);
  }

  #requireKey(): string {
    const key = this.primaryKey;
    if (key !== null) return key;
    throw new ConfigError('customers', 'customers can be added only after a primary key has been selected');
  }
}

function checkName(name: unknown): asserts name is string {
  if (isNonEmptyString(name)) return;
  throw new ConfigError('primaryKey', `primaryKey must be the name of an attribute, got ${describe(name)}`);
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

function toRow({ id, primaryValue, attributes }: StoredCustomer): CustomerRow {
  const version = createHash('sha1').update(attributes).digest('base64url');
  return { id, primaryKeyValue: primaryValue, attributes: JSON.parse(attributes), version };
}
