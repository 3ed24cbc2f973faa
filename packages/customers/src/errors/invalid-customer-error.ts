import { SluiceError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';

/** One problem that a schema found in a customer. */
export interface CustomerIssue {
  /** Path in the customer: `address.lines.0`. Empty for the customer as a whole. */
  readonly path: string;
  /** The message of the schema. */
  readonly message: string;
}

/**
 * The service returned a customer that does not fit the caller's schema.
 *
 * @example if (error instanceof InvalidCustomerError) console.warn(error.issues);
 */
export class InvalidCustomerError extends SluiceError {
  /** The primary key of the customer. */
  declare readonly primaryKey: string;
  /** All issues that the schema found, in its order. */
  declare readonly issues: readonly CustomerIssue[];

  constructor(primaryKey: string, issues: readonly CustomerIssue[]) {
    const list = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super('SLUICE_INVALID_CUSTOMER', `customer ${describe(primaryKey)} does not fit the schema: ${list}`);
    this.primaryKey = primaryKey;
    this.issues = issues;
  }
}
