import { describe } from './describe.ts';
import type { Batch, Event } from './event.ts';

/** What is wrong with a value, and where: `batch[3].correlationValue must be a non-empty string, got number 7`. */
export interface Problem {
  /** The field at fault, as a path from the value that was checked. */
  readonly field: string;
  /** A full sentence that starts with `field`. */
  readonly message: string;
}

const REQUIRED = ['event', 'correlationKey', 'correlationValue', 'source'] as const;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The first thing wrong with a batch by the rules of sections 2.1 and 2.2, or undefined where it is valid. */
export function findBatchProblem(value: unknown): Problem | undefined {
  if (!isObject(value)) return problem('body', 'must be a JSON object', value);
  const batch: unknown = value.batch;
  if (!Array.isArray(batch)) return problem('batch', 'must be an array of events', batch);
  if (batch.length === 0) return problem('batch', 'must hold at least one event', batch, 'an empty array');
  for (const [index, event] of batch.entries()) {
    const found = findEventProblem(event, `batch[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first thing wrong with an event by the rules of section 2.2, or undefined where it is valid. `at` prefixes the field. */
export function findEventProblem(value: unknown, at = 'event'): Problem | undefined {
  if (!isObject(value)) return problem(at, 'must be an object', value);
  for (const field of REQUIRED) {
    const given: unknown = value[field];
    if (!isNonEmptyString(given)) return problem(`${at}.${field}`, 'must be a non-empty string', given);
  }
  const { timestamp, uuid, payload } = value;
  if (timestamp !== undefined && !isTimestamp(timestamp)) {
    return problem(`${at}.timestamp`, 'must be an ISO 8601 UTC time with milliseconds', timestamp);
  }
  if (uuid !== undefined && !isUuid(uuid)) return problem(`${at}.uuid`, 'must be a UUID', uuid);
  if (payload !== undefined && !isObject(payload)) {
    return problem(`${at}.payload`, 'must be an object', payload);
  }
  return undefined;
}

/** Whether a value is a batch that the service takes. */
export function isBatch(value: unknown): value is Batch {
  return findBatchProblem(value) === undefined;
}

/** Whether a value is an event that the service takes. */
export function isEvent(value: unknown): value is Event {
  return findEventProblem(value) === undefined;
}

/** Whether a value is a time as events have it: `2026-11-21T10:15:30.000Z`, and a day and hour that exist. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value));
}

/** Whether a value is a UUID in its usual form, of any version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Whether a value is a string with at least one character. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problem(field: string, rule: string, value: unknown, got = describe(value)): Problem {
  return { field, message: `${field} ${rule}, got ${got}` };
}
