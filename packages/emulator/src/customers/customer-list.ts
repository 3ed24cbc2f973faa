import { hash } from 'node:crypto';
import { ConfigError } from '@sluice/protocol';
import { isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import type { CustomerRow, CustomerRows } from '../admin/audience-contract.ts';
import { isJsonObject } from '../events/json-text.ts';
import { messageOf } from '../messages.ts';
import { containing, type Database, escapeText, unescapeText } from '../storage/database.ts';

/** Which customers to list, and in which order. */
export interface CustomerQuery {
  /** Text that an attribute value must contain, ignoring case. */
  readonly search?: string | undefined;
  /** A value of the selected primary key. It selects one customer at most; all other fields are then ignored. */
  readonly value?: string | undefined;
  /** The attribute to sort by: those without it come last. Default: the newest first. */
  readonly sort?: string | undefined;
  readonly descending?: boolean | undefined;
  /** How many of these to skip. Default: 0. */
  readonly offset?: number | undefined;
  /** Default: 100. */
  readonly limit?: number | undefined;
}

/** A row of customers. `primaryValue` is escaped; null if it does not have the selected primary key: then it is not found. */
export interface StoredCustomer {
  readonly id: number;
  readonly primaryValue: string | null;
  readonly attributes: string;
}

/** A customer, ready to be stored. */
export interface CustomerRecord {
  /** Its value of the selected primary key. */
  readonly primaryValue: string;
  /** All its attributes, as JSON. */
  readonly attributes: string;
}

// The text of the attributes is checked first: it contains the words too, and is faster to search than the single values. SQLite
// cannot read JSON that is nested deeper than 1,000 levels: there, the check of the text must be enough.
const CONTAINS = `attributes LIKE ? ESCAPE '!' AND CASE WHEN json_valid(attributes)
  THEN EXISTS (SELECT 1 FROM json_each(attributes) WHERE value LIKE ? ESCAPE '!') ELSE 1 END`;
const SORTED = `CASE WHEN json_valid(attributes) THEN (SELECT atom FROM json_each(attributes) WHERE key = ?) END`;

/** SQL that reads customers, to be followed by a condition. */
export const ROWS = 'SELECT customers.id, primary_value AS primaryValue, attributes FROM customers';

/** Lists customers. */
export class CustomerList {
  readonly #database: Database;
  /** The ids that the latest search has found: of which search, in which order, and after how many changes. */
  #found: { readonly key: string; readonly ids: readonly number[] } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The matching customers, newest first, and how many there are in all. `changes`: how often customers were changed. */
  read({ offset = 0, limit = 100, ...query }: CustomerQuery, changes: number): CustomerRows {
    const { search, value, sort } = query;
    let rows: StoredCustomer[];
    let total: number;
    if (value !== undefined) {
      rows = this.#database.all(`${ROWS} WHERE primary_value = ?`, escapeText(value));
      total = rows.length;
    } else if (search === undefined && sort === undefined) {
      rows = this.#database.all(`${ROWS} ORDER BY id DESC LIMIT ? OFFSET ?`, limit, offset);
      total = this.#database.get<{ total: number }>('SELECT count(*) AS total FROM customers')?.total ?? 0;
    } else {
      const ids = this.#matching(query, changes);
      total = ids.length;
      // A join with json_each keeps the order of the ids.
      rows = this.#database.all(
        `${ROWS} JOIN json_each(?) ON customers.id = value ORDER BY json_each.key`,
        JSON.stringify(ids.slice(offset, offset + limit)),
      );
    }
    return { customers: rows.map(toRow), total };
  }

  /** Ids of the customers with a text in a value, in their order. */
  #matching(
    { search, sort, descending = false }: Omit<CustomerQuery, 'limit'>,
    changes: number,
  ): readonly number[] {
    const key = JSON.stringify([search ?? null, sort ?? null, descending, changes]);
    if (this.#found?.key === key) return this.#found.ids;
    const values = sort === undefined ? [] : [sort];
    if (search !== undefined) values.push(containing(escapeText(search)), containing(search));
    const rows = this.#database.arrays<[id: number]>(
      `SELECT id, ${sort === undefined ? 'NULL' : SORTED} AS sorted FROM customers
       ${search === undefined ? '' : `WHERE ${CONTAINS}`}
       ORDER BY sorted IS NULL, sorted COLLATE NOCASE ${descending ? 'DESC' : 'ASC'}, id DESC`,
      ...values,
    );
    this.#found = { key, ids: rows.map(([id]) => id) };
    return this.#found.ids;
  }
}

/** Checks a customer, named `at` in errors. Throws {@link ConfigError}. */
export function toRecord(customer: unknown, key: string, at: string): CustomerRecord {
  if (!isJsonObject(customer)) throw refusal(at, 'an object of attributes', customer);
  const value = primaryValue(customer, key);
  if (value === undefined) {
    throw refusal(`${at}.${key}`, 'a non-empty string: it is the primary key', customer[key]);
  }
  try {
    return { primaryValue: value, attributes: JSON.stringify(customer) };
  } catch (error) {
    throw new ConfigError(at, `${at} must hold only what JSON can hold: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The value of the primary key `key`; undefined if there is none. */
export function primaryValue(attributes: object, key: string): string | undefined {
  const value: unknown = Reflect.get(attributes, key);
  return isNonEmptyString(value) ? value : undefined;
}

/** As pages show it. */
export function toRow({ id, primaryValue, attributes }: StoredCustomer): CustomerRow {
  return {
    id,
    primaryKeyValue: primaryValue === null ? null : unescapeText(primaryValue),
    attributes: JSON.parse(attributes),
    version: hash('sha1', attributes, 'base64url'),
  };
}
