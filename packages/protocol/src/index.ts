export { joinEvents } from './batch-body.ts';
export type { Customer, ReadRequest } from './customer.ts';
export { CUSTOMER_READ_PATH, EVENTS_PATH, endpoint } from './endpoints.ts';
export { ConfigError } from './errors/config-error.ts';
export { DeliveryError, type DeliveryFailure } from './errors/delivery-error.ts';
export { InvalidEventError } from './errors/invalid-event-error.ts';
export { isSluiceError, SluiceError, type SluiceErrorCode } from './errors/sluice-error.ts';
export type { Batch, Event, Json, Source } from './event.ts';
export { isApiKey, requestHeaders } from './headers.ts';
export { parseRetryAfter } from './retry-after.ts';
export {
  findBatchProblem,
  findEventProblem,
  isBatch,
  isEvent,
  isTimestamp,
  isUuid,
  type Problem,
} from './validate.ts';
