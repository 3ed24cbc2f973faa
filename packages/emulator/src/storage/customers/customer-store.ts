import type { Database, Statement } from '../database.ts';
import { containing, escapeText, unescapeText } from '../events/escaped-text.ts';
import { type CustomerRecord, CustomerStaging } from './customer-staging.ts';

/** A stored customer. `primaryValue` is null if it does not have the selected primary key: then it is stored, but not found. */
export interface StoredCustomer {
  readonly id: number;
  readonly primaryValue: string | null;
  readonly attributes: string;
}

/** Which customers to list, and in which order. */
export interface CustomerQuery {
  /** Text that an attribute value must contain, ignoring case. */
  readonly search?: string | undefined;
  /** A value of the selected primary key. It selects one customer at most; all other fields are then ignored. */
  readonly value?: string | undefined;
  /** The attribute to sort by: those without it come last. Default: the newest first. */
  readonly sort?: string | undefined;
  readonly descending?: boolean | undefined;
  /** Only those with a smaller id. Not with `sort`. */
  readonly before?: number | undefined;
  /** How many of the newest of these to skip. Default: 0. */
  readonly offset?: number | undefined;
  readonly limit: number;
  /** As long as this value, the search and the order stay the same, the next query reuses what the search has found. */
  readonly version?: number | undefined;
}

/** What a search has found. */
interface Found {
  /** What was searched, in which order, and of which version. */
  readonly key: string;
  readonly ids: readonly number[];
}

// The text of the attributes is checked first: it contains the words too, and is faster to search than the single values. SQLite
// cannot read JSON that is nested deeper than 1,000 levels: there, the check of the text must be enough.
const CONTAINS = `attributes LIKE ? ESCAPE '!' AND CASE WHEN json_valid(attributes)
  THEN EXISTS (SELECT 1 FROM json_each(attributes) WHERE value LIKE ? ESCAPE '!') ELSE 1 END`;

const SORTED = `CASE WHEN json_valid(attributes) THEN (SELECT atom FROM json_each(attributes) WHERE key = ?) END`;

/** The customers of the account, found by their value of the selected primary key. */
export class CustomerStore {
  readonly #database: Database;
  readonly #find: Statement;
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #update: Statement;
  readonly #remove: Statement;
  readonly #all: Statement;
  readonly #countKnown: Statement;
  readonly #forgetValues: Statement;
  readonly #setValue: Statement;
  readonly #byValue: Statement;
  readonly #count: Statement;
  readonly #any: Statement;
  readonly #page: Statement;
  readonly #some: Statement;
  #found: Found | undefined;
  #staged = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#find = database.prepare('SELECT attributes FROM customers WHERE primary_value = ?');
    this.#get = database.prepare('SELECT id, primary_value, attributes FROM customers WHERE id = ?');
    this.#put = database.prepare(
      `INSERT INTO customers (primary_value, attributes) VALUES (?, ?)
       ON CONFLICT (primary_value) DO UPDATE SET attributes = excluded.attributes`,
    );
    this.#update = database.prepare('UPDATE customers SET primary_value = ?, attributes = ? WHERE id = ?');
    this.#remove = database.prepare('DELETE FROM customers WHERE id = ?');
    this.#all = database.prepare('SELECT id, attributes FROM customers');
    this.#countKnown = database.prepare(
      'SELECT count(*) AS count FROM json_each(?) AS given JOIN customers ON primary_value = given.value',
    );
    this.#forgetValues = database.prepare('UPDATE customers SET primary_value = NULL');
    this.#setValue = database.prepare('UPDATE customers SET primary_value = ? WHERE id = ?');
    this.#byValue = database.prepare('SELECT * FROM customers WHERE primary_value = ?');
    this.#count = database.prepare('SELECT count(*) AS total FROM customers');
    this.#any = database.prepare('SELECT 1 FROM customers LIMIT 1');
    this.#page = database.prepare('SELECT * FROM customers WHERE id < ? ORDER BY id DESC LIMIT ? OFFSET ?');
    this.#some = database.prepare(
      'SELECT * FROM customers WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
    );
  }

  get hasAny(): boolean {
    return this.#any.get() !== undefined;
  }

  /** The attributes of a customer, as JSON. */
  find(primaryValue: string): string | undefined {
    const row = this.#find.get(escapeText(primaryValue)) as { attributes: string } | undefined;
    return row?.attributes;
  }

  /** The customer with this id. */
  get(id: number): StoredCustomer | undefined {
    const row = this.#get.get(id) as Row | undefined;
    return row && toStoredCustomer(row);
  }

  /** Returns those that match, and how many there are without `before`, `offset` and `limit`. */
  list(query: CustomerQuery): { customers: StoredCustomer[]; total: number } {
    const { search, value, sort, before, offset = 0, limit } = query;
    if (value !== undefined) {
      const rows = this.#byValue.all(escapeText(value)) as Row[];
      return { customers: rows.map(toStoredCustomer), total: rows.length };
    }
    if (search === undefined && sort === undefined) {
      const { total } = this.#count.get() as { total: number };
      const rows = this.#page.all(before ?? Number.MAX_SAFE_INTEGER, limit, offset) as Row[];
      return { customers: rows.map(toStoredCustomer), total };
    }
    const ids = this.#matching(query);
    const start = before === undefined ? 0 : ids.findIndex((id) => id < before);
    const wanted = start < 0 ? [] : ids.slice(start + offset, start + offset + limit);
    const rows = this.#some.all(JSON.stringify(wanted)) as Row[];
    const places = new Map(wanted.map((id, place) => [id, place]));
    rows.sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
    return { customers: rows.map(toStoredCustomer), total: ids.length };
  }

  /** Ids of the customers with a text in a value, in their order. */
  #matching({ search, sort, descending = false, version }: CustomerQuery): readonly number[] {
    const key = JSON.stringify([search ?? null, sort ?? null, descending, version ?? null]);
    if (this.#found?.key === key) return this.#found.ids;
    const values = sort === undefined ? [] : [sort];
    if (search !== undefined) values.push(containing(escapeText(search)), containing(search));
    const rows = this.#database
      .prepare(
        `SELECT id, ${sort === undefined ? 'NULL' : SORTED} AS sorted FROM customers
         ${search === undefined ? '' : `WHERE ${CONTAINS}`}
         ORDER BY sorted IS NULL, sorted COLLATE NOCASE ${descending ? 'DESC' : 'ASC'}, id DESC`,
      )
      .raw(true)
      .all(...values) as [id: number][];
    const ids = rows.map(([id]) => id);
    this.#found = { key, ids };
    return ids;
  }

  /** Adds a customer, or replaces the one with the same primary key value. */
  put({ primaryValue, attributes }: CustomerRecord): void {
    this.#put.run(escapeText(primaryValue), attributes);
  }

  /** Replaces the customer with this id. No other customer may have its primary key value. */
  update(id: number, { primaryValue, attributes }: CustomerRecord): void {
    this.#update.run(escapeText(primaryValue), attributes, id);
  }

  /** Deletes the customer with this id. Returns whether there was one. */
  remove(id: number): boolean {
    return this.#remove.run(id).changes > 0;
  }

  /** Deletes all customers. */
  removeAll(): void {
    this.#database.exec('DELETE FROM customers');
  }

  /** The attributes of all customers, as JSON. */
  all(): string[] {
    return (this.#all.all() as Row[]).map(({ attributes }) => attributes);
  }

  /** How many of these customers already exist, by their primary key values. */
  countKnown(records: readonly CustomerRecord[]): number {
    const values = records.map(({ primaryValue }) => escapeText(primaryValue));
    return (this.#countKnown.get(JSON.stringify(values)) as { count: number }).count;
  }

  /** Starts to store many customers in portions. */
  stage(): CustomerStaging {
    this.#staged += 1;
    return new CustomerStaging(this.#database, this.#staged);
  }

  /**
   * Sets the primary key value of every customer anew. If `primaryValue` returns undefined, the customer is kept but not found.
   * Returns the first value that two customers share, if any: then the caller must roll back.
   */
  refile(primaryValue: (attributes: string) => string | undefined): string | undefined {
    const rows = this.#all.all() as { id: number; attributes: string }[];
    const seen = new Set<string>();
    this.#forgetValues.run();
    for (const { id, attributes } of rows) {
      const value = primaryValue(attributes);
      if (value === undefined) continue;
      if (seen.has(value)) return value;
      seen.add(value);
      this.#setValue.run(escapeText(value), id);
    }
    return undefined;
  }
}

interface Row {
  readonly id: number;
  readonly primary_value: string | null;
  readonly attributes: string;
}

function toStoredCustomer({ id, primary_value, attributes }: Row): StoredCustomer {
  return { id, primaryValue: primary_value === null ? null : unescapeText(primary_value), attributes };
}
