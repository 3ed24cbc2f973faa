import type { CustomerRows } from '../admin/audience-contract.ts';
import { containing, type Database, escapeText } from '../storage/database.ts';
import { type StoredCustomer, toRow } from './stored-customer.ts';

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

/** SQL that reads customers, to be followed by a condition. */
export const ROWS = 'SELECT id, primary_value AS primaryValue, attributes FROM customers';

/** Lists customers. */
export class CustomerList {
  readonly #database: Database;
  /** The ids that the latest search has found: of which search, in which order, and after how many changes. */
  #found: { readonly key: string; readonly ids: readonly number[] } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The matching customers, newest first, and how many there are without `before`, `offset` and `limit`. `changes`: how often customers were changed. */
  read(query: CustomerQuery, changes: number): CustomerRows {
    const { search, value, sort, before, offset = 0, limit } = query;
    let rows: StoredCustomer[];
    let total: number;
    if (value !== undefined) {
      rows = this.#database.all(`${ROWS} WHERE primary_value = ?`, escapeText(value));
      total = rows.length;
    } else if (search === undefined && sort === undefined) {
      const page = `${ROWS} WHERE id < ? ORDER BY id DESC LIMIT ? OFFSET ?`;
      rows = this.#database.all<StoredCustomer>(page, before ?? Number.MAX_SAFE_INTEGER, limit + 1, offset);
      total = this.#database.get<{ total: number }>('SELECT count(*) AS total FROM customers')?.total ?? 0;
    } else {
      const ids = this.#matching(query, changes);
      total = ids.length;
      const start = before === undefined ? 0 : ids.findIndex((id) => id < before);
      const wanted = start < 0 ? [] : ids.slice(start + offset, start + offset + limit + 1);
      const found = this.#database.all<StoredCustomer>(
        `${ROWS} WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(wanted),
      );
      const byId = new Map(found.map((row) => [row.id, row]));
      rows = wanted.flatMap((id) => byId.get(id) ?? []);
    }
    return { customers: rows.slice(0, limit).map(toRow), total, hasMore: rows.length > limit };
  }

  /** Ids of the customers with a text in a value, in their order. */
  #matching({ search, sort, descending = false }: CustomerQuery, changes: number): readonly number[] {
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
