/** Internal: what the packages of Sluice share. It may change in any version. */
export { baseUrlOf, readBaseUrl } from '../base-url.ts';
export { BATCH_HEAD_LENGTH, BATCH_OVERHEAD_BYTES, encloseBatch } from '../batch-body.ts';
export { readApiKey } from '../headers.ts';
export { parseHttpDate } from '../retry-after.ts';
export { type Backoff, backoffDelayMs } from './backoff.ts';
export { type Clock, MAX_TIMER_MS, systemClock, type Timer } from './clock.ts';
export { describe, tried } from './describe.ts';
export { onAbort } from './on-abort.ts';
export { readText } from './read-text.ts';
export {
  plainHttpWarning,
  type Redact,
  redactedError,
  redactor,
  rootMessage,
  thoroughRedactor,
  thoroughRedactorOfAll,
  withoutSecrets,
} from './redaction.ts';
export {
  ANYTHING,
  aFunction,
  flag,
  hasMethods,
  isNonEmptyString,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  type Rule,
  type Rules,
  readRules,
  refusal,
  whole,
} from './rules.ts';
export {
  isStandardSchema,
  issuePath,
  type SchemaIssue,
  type SchemaResult,
  type StandardSchema,
} from './standard-schema.ts';
export { abortAfter, inTime, sleep, untilWoken } from './waits.ts';
