import type { Database } from '../storage/database.ts';
import { Staging } from '../storage/staging.ts';
import { containing, escapeText, unescapeText } from '../storage/text.ts';

/** A stored customer. `primaryValue` is null if it does not have the selected primary key: then it is stored, but not found. */
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
}

// The text of the attributes is checked first: it contains the words too, and is faster to search than the single values. SQLite
// cannot read JSON that is nested deeper than 1,000 levels: there, the check of the text must be enough.
const CONTAINS = `attributes LIKE ? ESCAPE '!' AND CASE WHEN json_valid(attributes)
  THEN EXISTS (SELECT 1 FROM json_each(attributes) WHERE value LIKE ? ESCAPE '!') ELSE 1 END`;
const SORTED = `CASE WHEN json_valid(attributes) THEN (SELECT atom FROM json_each(attributes) WHERE key = ?) END`;
const ROWS = 'SELECT id, primary_value AS primaryValue, attributes FROM customers';
const PUT = 'ON CONFLICT (primary_value) DO UPDATE SET attributes = excluded.attributes';

/** The customers of the account, found by their value of the selected primary key. */
export class CustomerStore {
  readonly #database: Database;
  #changes = 0;
  /** The ids that the latest search has found: of which search, in which order, and after how many changes. */
  #found: { readonly key: string; readonly ids: readonly number[] } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  get hasAny(): boolean {
    return this.#database.get('SELECT 1 FROM customers LIMIT 1') !== undefined;
  }

  /** How often customers were changed. */
  get changes(): number {
    return this.#changes;
  }

  /** The customer with this value of the primary key. */
  find(primaryValue: string): StoredCustomer | undefined {
    return this.#read(`${ROWS} WHERE primary_value = ?`, escapeText(primaryValue))[0];
  }

  /** The customer with this id. */
  get(id: number): StoredCustomer | undefined {
    return this.#read(`${ROWS} WHERE id = ?`, id)[0];
  }

  /** Returns those that match, and how many there are without `before`, `offset` and `limit`. */
  list(query: CustomerQuery): { customers: StoredCustomer[]; total: number } {
    const { search, value, sort, before, offset = 0, limit } = query;
    if (value !== undefined) {
      const customer = this.find(value);
      return customer === undefined ? { customers: [], total: 0 } : { customers: [customer], total: 1 };
    }
    if (search === undefined && sort === undefined) {
      const total =
        this.#database.get<{ total: number }>('SELECT count(*) AS total FROM customers')?.total ?? 0;
      const page = `${ROWS} WHERE id < ? ORDER BY id DESC LIMIT ? OFFSET ?`;
      return { customers: this.#read(page, before ?? Number.MAX_SAFE_INTEGER, limit, offset), total };
    }
    const ids = this.#matching(query);
    const start = before === undefined ? 0 : ids.findIndex((id) => id < before);
    const wanted = start < 0 ? [] : ids.slice(start + offset, start + offset + limit);
    const rows = this.#read(`${ROWS} WHERE id IN (SELECT value FROM json_each(?))`, JSON.stringify(wanted));
    const places = new Map(wanted.map((id, place) => [id, place]));
    rows.sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
    return { customers: rows, total: ids.length };
  }

  /** Ids of the customers with a text in a value, in their order. */
  #matching({ search, sort, descending = false }: CustomerQuery): readonly number[] {
    const key = JSON.stringify([search ?? null, sort ?? null, descending, this.#changes]);
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

  /** Adds customers. One with the same primary key value is replaced. */
  put(records: readonly CustomerRecord[]): void {
    const sql = `INSERT INTO customers (primary_value, attributes) VALUES (?, ?) ${PUT}`;
    this.#database.transaction(() => {
      for (const each of records) this.#change(sql, escapeText(each.primaryValue), each.attributes);
    });
  }

  /** Replaces the customer with this id. No other customer may have its primary key value. */
  update(id: number, { primaryValue, attributes }: CustomerRecord): void {
    const sql = 'UPDATE customers SET primary_value = ?, attributes = ? WHERE id = ?';
    this.#change(sql, escapeText(primaryValue), attributes, id);
  }

  /** Deletes the customer with this id. Returns whether there was one. */
  remove(id: number): boolean {
    return this.#change('DELETE FROM customers WHERE id = ?', id) > 0;
  }

  /** Deletes all customers. */
  clear(): void {
    this.#change('DELETE FROM customers');
  }

  /** The attributes of all customers, as JSON. */
  all(): string[] {
    return this.#read(ROWS).map(({ attributes }) => attributes);
  }

  /** How many of these customers already exist, by their primary key values. */
  countKnown(records: readonly CustomerRecord[]): number {
    const values = JSON.stringify(records.map(({ primaryValue }) => escapeText(primaryValue)));
    const known =
      'SELECT count(*) AS count FROM json_each(?) AS given JOIN customers ON primary_value = given.value';
    return this.#database.get<{ count: number }>(known, values)?.count ?? 0;
  }

  /** Starts to store many customers in portions. */
  stage(): { add(records: readonly CustomerRecord[]): void; store(): void } & Disposable {
    const columns = 'primary_value, attributes';
    const staging = new Staging(this.#database, columns);
    return {
      add: (records) =>
        staging.add(records.flatMap((each) => [escapeText(each.primaryValue), each.attributes])),
      store: () =>
        void this.#change(
          `INSERT INTO customers (${columns}) SELECT ${columns} FROM ${staging.table} WHERE true ORDER BY at ${PUT}`,
        ),
      [Symbol.dispose]: () => staging[Symbol.dispose](),
    };
  }

  /**
   * Sets the primary key value of every customer anew. If `primaryValue` returns undefined, the customer is kept but not found.
   * Returns the first value that two customers share, if any: then the caller must roll back.
   */
  refile(primaryValue: (attributes: string) => string | undefined): string | undefined {
    const seen = new Set<string>();
    const rows = this.#read(ROWS);
    this.#change('UPDATE customers SET primary_value = NULL');
    for (const { id, attributes } of rows) {
      const value = primaryValue(attributes);
      if (value === undefined) continue;
      if (seen.has(value)) return value;
      seen.add(value);
      this.#database.run('UPDATE customers SET primary_value = ? WHERE id = ?', escapeText(value), id);
    }
    return undefined;
  }

  #change(sql: string, ...values: (string | number)[]): number {
    const changed = this.#database.run(sql, ...values);
    this.#changes += 1;
    return changed;
  }

  #read(sql: string, ...values: (string | number)[]): StoredCustomer[] {
    return this.#database.all<StoredCustomer>(sql, ...values).map(({ id, primaryValue, attributes }) => ({
      id,
      primaryValue: primaryValue === null ? null : unescapeText(primaryValue),
      attributes,
    }));
  }
}
