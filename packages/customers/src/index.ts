export {
  ConfigError,
  type Customer,
  DeliveryError,
  isSluiceError,
  SluiceError,
  type SluiceErrorCode,
} from '@sluice/protocol';
export type { Clock, Timer } from '@sluice/protocol/toolbox';
export type { CustomerAnswer } from './answer.ts';
export type { CacheOptions } from './cache.ts';
export { type CustomerReader, createCustomerReader, type ReadOptions } from './customer-reader.ts';
export { CustomerNotFoundError } from './errors/customer-not-found-error.ts';
export { type CustomerIssue, InvalidCustomerError } from './errors/invalid-customer-error.ts';
export type { BodyReader, Fetch, FetchRequest, FetchResponse } from './fetch/fetch.ts';
export type { CustomerReaderOptions } from './options.ts';
export type { SchemaIssue, SchemaResult, StandardSchema } from './standard-schema.ts';
