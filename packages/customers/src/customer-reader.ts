import type { Customer } from '@sluice/protocol';
import { isNonEmptyString, refusal, type StandardSchema } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { CacheOptions, CustomerCache } from './cache.ts';
import { type CustomerReaderOptions, readSettings } from './options.ts';
import { missingPart } from './platform/parts.ts';
import { requestCustomer } from './request.ts';
import { type Requests, sharedRequests } from './shared-requests.ts';

/** Options of one read. */
export interface ReadOptions<T = Customer> {
  /** Aborts this read: it rejects at once with the signal's reason. Other pending reads of the same customer go on. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Validates the customer and gives the result its type. Without a schema, nothing checks the type. In a page, this needs the part
   * `schema`.
   */
  readonly schema?: StandardSchema<T> | undefined;
}

/** Reads customers of one account. You need not close it. */
export interface CustomerReader {
  /**
   * Resolves to the key/value pairs of the customer with this primary key, a new object for every read. Reads of the same
   * key at the same time share one request, except on the edge.
   *
   * @throws It rejects with:
   * - `CustomerNotFoundError` if there is no such customer;
   * - `InvalidCustomerError` if the schema refuses the customer;
   * - `DeliveryError` if the service refuses, cannot be reached, or answers with something other than a JSON object;
   * - `ConfigError` if an argument is wrong; nothing was sent;
   * - the signal's reason, as soon as the signal aborts.
   * @example const { first_name } = await customers.read('ada@example.com', { signal: AbortSignal.timeout(2_000) });
   */
  read<T = Customer>(primaryKey: string, options?: ReadOptions<T>): Promise<T>;
}

/** A reader with the option `cache`. */
export interface CachingCustomerReader extends CustomerReader {
  readonly cache: CustomerCache;
}

/** Options of a reader with a cache. */
export interface CachingCustomerReaderOptions extends CustomerReaderOptions {
  readonly cache: CacheOptions;
}

/**
 * Creates a reader of customers. Sends no request.
 *
 * @throws `ConfigError` if an option is wrong.
 * @example
 * const customers = createCustomerReader({ apiUrl: 'http://127.0.0.1:4200', apiKey, cache: { ttlMs: 60_000 } });
 * const customer = await customers.read('ada@example.com');
 * customers.cache.delete('ada@example.com');
 */
export function createCustomerReader(options: CachingCustomerReaderOptions): CachingCustomerReader;
export function createCustomerReader(options: CustomerReaderOptions): CustomerReader;
export function createCustomerReader(options: CustomerReaderOptions): CustomerReader {
  const settings = readSettings(options);
  const { parts } = settings;
  const requests: Requests = new Map();
  const cache = settings.cache && parts.cache?.(settings.cache, settings.clock, requests);
  const start = (primaryKey: string, signal: AbortSignal) => requestCustomer(settings, primaryKey, signal);
  const request = (platform.requests ?? sharedRequests)(start, requests, cache?.set);
  return {
    async read<T = Customer>(primaryKey: string, options: ReadOptions<T> = {}): Promise<T> {
      parts.checked?.(options, settings.redact, true);
      const { signal, schema } = options;
      if (!isNonEmptyString(primaryKey)) throw refusal('primaryKey', 'a non-empty string', primaryKey);
      const validate =
        schema === undefined
          ? (customer: T) => customer
          : (parts.schema ?? missingPart('schema'))(schema, settings.redact);
      signal?.throwIfAborted();
      const customer = JSON.parse(cache?.get(primaryKey) ?? (await request(primaryKey, signal)));
      return validate(customer, primaryKey, signal);
    },
    ...(cache && { cache: cache.handle }),
  };
}
