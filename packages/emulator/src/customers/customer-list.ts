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
const CONTAINS = `attributes LIKE ? ESCAPE '!' AND attributes GLOB ? AND CASE WHEN json_valid(attributes)
  THEN EXISTS (SELECT 1 FROM json_each(attributes) WHERE value LIKE ? ESCAPE '!' AND value GLOB ?) ELSE 1 END`;
const BEYOND_ASCII = /[\u0080-\u{10ffff}]/gu;
const SORTED = `CASE WHEN json_valid(attributes) THEN (SELECT atom FROM json_each(attributes) WHERE key = ?) END`;

/** SQL that reads customers, to be followed by a condition. */
export const ROWS = 'SELECT id, primary_value AS primaryValue, attributes FROM customers';

/** The matching customers, newest first or sorted, and how many there are in all. */
export function listCustomers(
  database: Database,
  { search, value, sort, descending = false, offset = 0, limit = 100 }: CustomerQuery,
): CustomerRows {
  let where = 'true';
  let wanted: string[] = [];
  if (value !== undefined) {
    where = 'primary_value = ?';
    wanted = [escapeText(value)];
  } else if (search !== undefined) {
    where = CONTAINS;
    wanted = [...patterns(escapeText(search)), ...patterns(search)];
  }
  const sorted = `${SORTED} IS NULL, ${SORTED} COLLATE NOCASE ${descending ? 'DESC' : 'ASC'},`;
  const rows = database.all<StoredCustomer>(
    `${ROWS} WHERE ${where} ORDER BY ${sort === undefined ? '' : sorted} id DESC LIMIT ? OFFSET ?`,
    ...[...wanted, ...(sort === undefined ? [] : [sort, sort]), limit, offset],
  );
  const count = `SELECT count(*) AS total FROM customers WHERE ${where}`;
  return { customers: rows.map(toRow), total: database.get<{ total: number }>(count, ...wanted)?.total ?? 0 };
}

/**
 * Patterns of LIKE and of GLOB: both match texts that contain `text`, ignoring case. LIKE is fast, but knows the two cases of ASCII
 * letters only. So it lets any letter pass for another one, and GLOB checks it.
 */
function patterns(text: string): [like: string, glob: string] {
  const like = containing(text).replace(BEYOND_ASCII, '_');
  if (like === containing(text)) return [like, '*'];
  const letters = Array.from(text, (letter) => {
    const upper = letter.toUpperCase();
    const cases = new Set([letter, letter.toLowerCase(), upper, upper.toLowerCase()]);
    const single = [...cases].filter((each) => Array.from(each).length === 1); // ß in capitals is SS
    return single.length > 1 || '*?['.includes(letter) ? `[${single.join('')}]` : letter;
  });
  return [like, `*${letters.join('')}*`];
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
