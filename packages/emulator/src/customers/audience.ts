import { ConfigError, type Customer } from '@sluice/protocol';
import { describe, isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import type { CustomerImport, CustomerRow, CustomerRows } from '../admin/audience-contract.ts';
import { Refusal } from '../events/refusal.ts';
import { quote } from '../messages.ts';
import { type Database, escapeText, unescapeText } from '../storage/database.ts';
import { Staging } from '../storage/staging.ts';
import {
  type CustomerQuery,
  type CustomerRecord,
  listCustomers,
  primaryValue,
  ROWS,
  type StoredCustomer,
  toRecord,
  toRow,
} from './customer-list.ts';
import { parseCustomersCsv, writeCustomersCsv } from './customers-csv.ts';

const STAGED_AT_ONCE = 500;

const COLUMNS = 'primary_value, attributes';
const REPLACE = 'ON CONFLICT (primary_value) DO UPDATE SET attributes = excluded.attributes';

/** The audience section of the account: its customers, and the attribute that identifies them. */
export class Audience {
  readonly #database: Database;
  readonly #changed: () => void;
  /** How often customers or the primary key were changed. */
  changes = 0;

  /** `changed` is called during each change. It must do its own work later. */
  constructor(database: Database, changed: () => void = () => {}) {
    this.#database = database;
    this.#changed = changed;
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    const name = this.#database.setting('primary_key');
    return name === undefined ? null : unescapeText(name);
  }

  /** Whether there is any customer. */
  get hasCustomers(): boolean {
    return this.#database.get('SELECT 1 FROM customers LIMIT 1') !== undefined;
  }

  /**
   * Selects a primary key. Customers without it are kept, but no longer found. Throws {@link ConfigError} if `name` is not a
   * non-empty string, or if two customers have the same value of it.
   */
  selectPrimaryKey(name: unknown): void {
    if (!isNonEmptyString(name)) throw refusal('primaryKey', 'the name of an attribute', name);
    if (name === this.primaryKey) return;
    const known = new Set<string>();
    this.#database.transaction(() => {
      this.#database.set('primary_key', escapeText(name));
      this.#change('UPDATE customers SET primary_value = NULL');
      for (const { id, attributes } of this.#read(ROWS)) {
        const value = primaryValue(JSON.parse(attributes), name);
        if (value === undefined) continue;
        if (known.has(value)) {
          const rule = 'an attribute that no two customers share a value of';
          const { option, message } = refusal('primaryKey', rule, name);
          throw new ConfigError(option, `${message}: two have ${describe(value)}`);
        }
        known.add(value);
        this.#database.run('UPDATE customers SET primary_value = ? WHERE id = ?', escapeText(value), id);
      }
    });
  }

  /** Adds or replaces all of these customers, or none. Returns how many were passed in. Throws {@link ConfigError}. */
  addCustomers(customers: Iterable<unknown>): number {
    if (typeof customers !== 'object' || customers === null || !(Symbol.iterator in customers)) {
      throw refusal('customers', 'an iterable of objects', customers);
    }
    const key = this.#requireKey();
    const records = Array.from(customers, (each, index) => toRecord(each, key, `customers[${index}]`));
    this.#database.transaction(() => {
      for (const record of records) this.#put(record);
    });
    return records.length;
  }

  /** The stored attributes of a customer; undefined if there is none. */
  attributes(primaryKeyValue: string): Customer | undefined {
    const found = this.#find(primaryKeyValue);
    return found && JSON.parse(found.attributes);
  }

  /**
   * The customer as the interface returns it (section 2.3); undefined if there is none. A stored attribute named `primary_key`
   * stays as it is (section 4.2).
   */
  customer(primaryKeyValue: string): Customer | undefined {
    const stored = this.attributes(primaryKeyValue);
    if (stored === undefined || Object.hasOwn(stored, 'primary_key')) return stored;
    return { ...stored, primary_key: primaryKeyValue };
  }

  /** The matching customers. */
  list(query: CustomerQuery): CustomerRows {
    return listCustomers(this.#database, query);
  }

  /** The customer with this id. */
  get(id: number): CustomerRow | undefined {
    return this.#read(`${ROWS} WHERE id = ?`, id).map(toRow)[0];
  }

  /** Adds one customer. Its primary key value must be new. Throws {@link ConfigError}. */
  create(attributes: unknown): CustomerRow | undefined {
    const record = this.#newRecord(attributes, undefined);
    this.#put(record);
    return [this.#find(record.primaryValue) ?? []].flat().map(toRow)[0];
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
    const record = this.#newRecord(attributes, id);
    const sql = 'UPDATE customers SET primary_value = ?, attributes = ? WHERE id = ?';
    this.#change(sql, escapeText(record.primaryValue), record.attributes, id);
    return this.get(id);
  }

  /** Deletes a customer; its events stay. Returns whether there was one. */
  remove(id: number): boolean {
    return this.#change('DELETE FROM customers WHERE id = ?', id) > 0;
  }

  /** Deletes all customers. */
  clear(): void {
    this.#change('DELETE FROM customers');
  }

  /** All customers as CSV, oldest first: the same format as for the import. */
  export(): string {
    return writeCustomersCsv(this.#read(ROWS).map(({ attributes }) => JSON.parse(attributes)));
  }

  /**
   * Reads customers from CSV and, unless it is only a `preview`, adds or replaces them: all, or none if there is a problem. It
   * works in portions, and the emulator serves requests between them. These requests see all of the customers or none. Throws
   * {@link ConfigError}.
   */
  async import(csv: string, preview: boolean): Promise<CustomerImport> {
    const key = this.#requireKey();
    using staging = new Staging(this.#database, COLUMNS);
    const values: string[] = [];
    const parsed = await parseCustomersCsv(csv, key, (value, customer) => {
      values.push(escapeText(value), JSON.stringify(customer));
      if (values.length >= STAGED_AT_ONCE) staging.add(values.splice(0));
    });
    staging.add(values);
    const isRight = parsed.problemCount === 0;
    const replaced = isRight ? this.#takeStaged(staging, key, preview) : 0;
    return { ...parsed, added: isRight ? parsed.lines - replaced : 0, replaced };
  }

  /** Stores customers that were staged, unless it is only a preview. Returns how many of them existed before. */
  #takeStaged({ table }: Staging, key: string, preview: boolean): number {
    if (this.primaryKey !== key) {
      const message = `primaryKey was ${describe(key)} when the import began, and is ${describe(this.primaryKey)} now: nothing was imported. Import the file again`;
      throw new ConfigError('primaryKey', message);
    }
    const count = `SELECT count(*) AS known FROM ${table} JOIN customers USING (primary_value)`;
    const known = this.#database.get<{ known: number }>(count)?.known ?? 0;
    if (preview) return known;
    this.#change(
      `INSERT INTO customers (${COLUMNS}) SELECT ${COLUMNS} FROM ${table} WHERE true ORDER BY at ${REPLACE}`,
    );
    return known;
  }

  #find(primaryValue: string): StoredCustomer | undefined {
    return this.#read(`${ROWS} WHERE primary_value = ?`, escapeText(primaryValue))[0];
  }

  #put({ primaryValue, attributes }: CustomerRecord): void {
    const sql = `INSERT INTO customers (${COLUMNS}) VALUES (?, ?) ${REPLACE}`;
    this.#change(sql, escapeText(primaryValue), attributes);
  }

  #newRecord(attributes: unknown, id: number | undefined): CustomerRecord {
    const key = this.#requireKey();
    const record = toRecord(attributes, key, 'attributes');
    const other = this.#find(record.primaryValue);
    if (other === undefined || other.id === id) return record;
    const rule = `must be a value that no other customer has: one with ${quote(record.primaryValue)} is there already`;
    throw new ConfigError(`attributes.${key}`, `attributes.${key} ${rule}`);
  }

  #requireKey(): string {
    const key = this.primaryKey;
    if (key !== null) return key;
    const rule = 'customers can be added only after a primary key has been selected';
    throw new ConfigError('customers', `${rule}: start with --primary-key NAME, or call selectPrimaryKey()`);
  }

  #change(sql: string, ...values: (string | number)[]): number {
    const changed = this.#database.run(sql, ...values);
    this.changes += 1;
    this.#changed();
    return changed;
  }

  #read(sql: string, ...values: (string | number)[]): StoredCustomer[] {
    return this.#database.all<StoredCustomer>(sql, ...values);
  }
}
