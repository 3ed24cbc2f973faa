// What the routes of the emulator say of customers and of the primary key: see contract.ts.
import type { Customer } from '@sluice/protocol';

/** `GET customers`. */
export interface CustomerRows {
  readonly customers: readonly CustomerRow[];
  /** Total number of matching customers. */
  readonly total: number;
}

/** A customer. */
export interface CustomerRow {
  readonly id: number;
  /** Null if the customer does not have the selected primary key: then it is stored, but not found. */
  readonly primaryKeyValue: string | null;
  readonly attributes: Customer;
  /** Changes with the attributes. */
  readonly version: string;
}

/** `POST customers/import`. */
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
