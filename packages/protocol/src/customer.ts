/** A customer: the key/value pairs that the service stores, attributes as the account's own data has them (section 2.3). */
export interface Customer {
  readonly [attribute: string]: unknown;
}

/** The request body of reading a customer (section 4.2). */
export interface ReadRequest {
  /** The primary key value that identifies the customer. */
  readonly primary_key: string;
}
