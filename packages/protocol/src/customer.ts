/** A customer: the key/value pairs that the service stores. The account's own data defines the attributes (section 2.3). */
export interface Customer {
  readonly [attribute: string]: unknown;
}

/** The body of a request that reads a customer (section 4.2). */
export interface ReadRequest {
  /** The value of the primary key that identifies the customer. */
  readonly primary_key: string;
}
