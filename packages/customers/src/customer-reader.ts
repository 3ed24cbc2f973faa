import type { Customer } from '@sluice/protocol';
import { isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import { abortable } from './abortable.ts';
import { createCache } from './cache.ts';
import { type CustomerReaderOptions, readSettings } from './options.ts';
import { requestCustomer } from './request.ts';
import { sharedRequests } from './shared-requests.ts';
import { applySchema, type StandardSchema } from './standard-schema.ts';

/** Options of one read. */
export interface ReadOptions<T = Customer> {
  /** Aborts this read: it rejects with the signal's reason. Other pending reads of the same customer go on. */
  readonly signal?: AbortSignal | undefined;
  /** Validates the customer and gives the result its type. Without a schema, nothing checks the type. */
  readonly schema?: StandardSchema<T> | undefined;
}

/** Reads customers of one account. You need not close it. */
export interface CustomerReader {
  /**
   * Resolves to the key/value pairs of the customer with this primary key, a new object for every read. Reads of the same
   * key at the same time share one request.
   *
   * Rejects with:
   * - `CustomerNotFoundError` if there is no such customer;
   * - `InvalidCustomerError` if the schema refuses the customer;
   * - `DeliveryError` if the service refuses, cannot be reached, or answers with something other than a JSON object;
   * - `ConfigError` if an argument is wrong; nothing was sent;
   * - the signal's reason if the signal aborts.
   */
  read<T = Customer>(primaryKey: string, options?: ReadOptions<T>): Promise<T>;
}

/** Creates a reader of customers. Throws a `ConfigError` if an option is wrong. Sends no request. */
export function createCustomerReader(options: CustomerReaderOptions): CustomerReader {
  const settings = readSettings(options);
  const cache = settings.cache && createCache(settings.cache, settings.clock);
  const request = sharedRequests(async (primaryKey, signal) => {
    const text = await requestCustomer(settings, primaryKey, signal);
    cache?.set(primaryKey, text);
    return text;
  });
  return {
    async read<T = Customer>(primaryKey: string, { signal, schema }: ReadOptions<T> = {}): Promise<T> {
      if (!isNonEmptyString(primaryKey)) throw refusal('primaryKey', 'a non-empty string', primaryKey);
      if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function')
        throw refusal('schema', 'a Standard Schema', schema);
      signal?.throwIfAborted();
      const customer = JSON.parse(cache?.get(primaryKey) ?? (await request(primaryKey, signal)));
      return schema === undefined ? customer : abortable(applySchema(schema, customer, primaryKey), signal);
    },
  };
}
