import { SluiceError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';

/**
 * The service answered that there is no customer with this primary key.
 *
 * @example if (isSluiceError(error, 'SLUICE_CUSTOMER_NOT_FOUND')) showSignUp();
 */
export class CustomerNotFoundError extends SluiceError {
  /** The requested primary key. */
  declare readonly primaryKey: string;
  /** HTTP status of the answer. */
  declare readonly status: number;

  constructor(primaryKey: string, status: number) {
    super(
      'SLUICE_CUSTOMER_NOT_FOUND',
      `no customer has the primary key ${describe(primaryKey)} (status ${status})${status === 404 ? '; if none ever has, check apiUrl' : ''}`,
    );
    this.primaryKey = primaryKey;
    this.status = status;
  }
}
