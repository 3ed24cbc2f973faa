import { describe, SluiceError } from '@sluice/protocol';

/** One thing that a schema found wrong with a customer. */
export interface CustomerIssue {
  /** Where in the customer: `address.lines.0`; empty for the customer as a whole. */
  readonly path: string;
  /** What is wrong, in the schema's words. */
  readonly message: string;
}

/** The service gave a customer, and it does not fit the caller's schema. */
export class InvalidCustomerError extends SluiceError {
  /** The primary key of the customer. */
  readonly primaryKey: string;
  /** All that the schema found, in its order. */
  readonly issues: readonly CustomerIssue[];

  constructor(primaryKey: string, issues: readonly CustomerIssue[]) {
    const list = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super('SLUICE_INVALID_CUSTOMER', `customer ${describe(primaryKey)} does not fit the schema: ${list}`);
    this.primaryKey = primaryKey;
    this.issues = issues;
  }
}
