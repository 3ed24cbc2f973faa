import { type Customer, isNonEmptyString, refusal } from '@sluice/protocol';
import { Cache } from './cache.ts';
import { type CustomerReaderOptions, readSettings } from './options.ts';
import { requestCustomer } from './request.ts';
import { SharedRequests } from './shared-requests.ts';
import { applySchema, checkSchema, type StandardSchema } from './standard-schema.ts';

/** What one read may be told. */
export interface ReadOptions<T = Customer> {
  /** Ends this read: it rejects with the signal's reason. Others who wait for the same customer still get it. */
  readonly signal?: AbortSignal | undefined;
  /** Validates the customer, and gives the result its type. Without one, the type is the caller's word. */
  readonly schema?: StandardSchema<T> | undefined;
}

/** Reads customers of one account. It holds nothing that has to be closed. */
export interface CustomerReader {
  /**
   * The key/value pairs of the customer with this primary key; a fresh object for every read. Reads of one key at one
   * time share one request.
   *
   * Rejects with `CustomerNotFoundError`; with `InvalidCustomerError` where the schema refuses the customer; with
   * `DeliveryError` where the service refused, could not be reached, or answered with something else than a JSON
   * object; with `ConfigError` where an argument is wrong and nothing was sent; or with the signal's reason.
   */
  read<T = Customer>(primaryKey: string, options?: ReadOptions<T>): Promise<T>;
}

/** Makes a reader of customers. Throws a `ConfigError` where an option is wrong; sends nothing. */
export function createCustomerReader(options: CustomerReaderOptions): CustomerReader {
  const settings = readSettings(options);
  const cache = settings.cache && new Cache(settings.cache, settings.clock);
  const requests = new SharedRequests(async (primaryKey, signal) => {
    const text = await requestCustomer(settings, primaryKey, signal);
    cache?.set(primaryKey, text);
    return text;
  });
  return {
    async read<T = Customer>(primaryKey: string, { signal, schema }: ReadOptions<T> = {}): Promise<T> {
      if (!isNonEmptyString(primaryKey)) throw refusal('primaryKey', 'a non-empty string', primaryKey);
      if (schema !== undefined) checkSchema(schema);
      signal?.throwIfAborted();
      const customer = JSON.parse(cache?.get(primaryKey) ?? (await requests.join(primaryKey, signal)));
      if (schema === undefined) return customer;
      const valid = await applySchema(schema, customer, primaryKey);
      signal?.throwIfAborted();
      return valid;
    },
  };
}
