// What the routes of the emulator say of customers and of the primary key: see contract.ts.
import type { Customer } from '@sluice/protocol';

/** `GET primary-key`. `PUT primary-key {primaryKey}` selects one, with immediate effect at both endpoints. */
export interface SelectedPrimaryKey {
  readonly primaryKey: string | null;
}

/**
 * `GET customers?search=…&value=…&sort=NAME&descending=true&offset=N&limit=…`, newest first, or sorted by an attribute: then
 * customers without it come last. `value` is a complete primary key value. `offset` is the number of rows to skip. `POST customers {attributes}` creates a customer and returns its row. `POST customers`
 * with an array of customers adds or replaces all of them, and returns how many: `{customers}`.
 */
export interface CustomerRows {
  readonly customers: readonly CustomerRow[];
  /** Total number of matching customers. */
  readonly total: number;
}

/**
 * `GET customers/ID`: a customer, with its version as ETag. `PUT customers/ID {attributes}` replaces all its attributes. With
 * `If-Match`, it does so only if the customer still has that version; otherwise it answers 412. `DELETE customers/ID` deletes it.
 */
export interface CustomerRow {
  readonly id: number;
  /** Null if the customer does not have the selected primary key: then it is stored, but not found. */
  readonly primaryKeyValue: string | null;
  readonly attributes: Customer;
  /** Changes with the attributes. */
  readonly version: string;
}

/**
 * `POST customers/import`: text/csv with the names of the attributes in the first line. If there is any problem, it answers 422
 * and imports nothing. With `?preview=true` it never imports, and returns the problems. `GET customers/export` returns all customers
 * in the same format.
 */
export interface CustomerImport {
  /** Names of attributes, as in the first line. */
  readonly columns: readonly string[];
  /** Number of customers in the file. */
  readonly lines: number;
  readonly added: number;
  readonly replaced: number;
  /** The first few customers. */
  readonly sample: readonly Customer[];
  /** The first hundred problems. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  readonly problemCount: number;
}
