import { describe, SluiceError } from '@sluice/protocol';

/** The service answered that there is no customer with this primary key. */
export class CustomerNotFoundError extends SluiceError {
  /** The requested primary key. */
  readonly primaryKey: string;
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(primaryKey: string, status: number) {
    const hint =
      status === 404 ? '; if no customer is ever found, check apiUrl: a wrong address answers 404 too' : '';
    super(
      'SLUICE_CUSTOMER_NOT_FOUND',
      `no customer has the primary key ${describe(primaryKey)} (status ${status})${hint}`,
    );
    this.primaryKey = primaryKey;
    this.status = status;
  }
}
