export {
  ConfigError,
  type Customer,
  DeliveryError,
  isSluiceError,
  SluiceError,
  type SluiceErrorCode,
} from '@sluice/protocol';
export type {
  Clock,
  SchemaIssue,
  SchemaResult,
  StandardSchema,
  Timer,
} from '@sluice/protocol/toolbox';
export type { Cache, CacheOptions, CachePart, CustomerCache } from './cache.ts';
export type { ConcurrencyPart, Limit } from './concurrency.ts';
export {
  type CachingCustomerReader,
  type CachingCustomerReaderOptions,
  type CustomerReader,
  createCustomerReader,
  type ReadOptions,
} from './customer-reader.ts';
export { CustomerNotFoundError } from './errors/customer-not-found-error.ts';
export { type CustomerIssue, InvalidCustomerError } from './errors/invalid-customer-error.ts';
export type { CustomerAnswer, CustomerReaderOptions } from './options.ts';
export type { CheckedPart, Parts } from './platform/parts.ts';
export type { BodyReader, Fetch, FetchRequest, FetchResponse } from './platform/platform.ts';
export type { SchemaPart, Validate } from './standard-schema.ts';
