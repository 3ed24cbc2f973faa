import type { Batch, Event } from './event.ts';
import { describe } from './toolbox/describe.ts';
import { isNonEmptyString } from './toolbox/rules.ts';

/** What is wrong with a value, and where: `batch[3].correlationValue must be a non-empty string, got number 7`. */
export interface Problem {
  /** The field that is wrong, as a path from the checked value. */
  readonly field: string;
  /** A full sentence that starts with `field`. */
  readonly message: string;
}

const REQUIRED = ['event', 'correlationKey', 'correlationValue', 'source'] as const;
const TIMESTAMP_LENGTH = '2026-11-21T10:15:30.000Z'.length;
const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// What `read` returns for a property whose getter or proxy throws. No rule of a field accepts a symbol.
const UNREADABLE: unique symbol = Symbol('unreadable');

/**
 * Returns the first problem of a batch by the rules of sections 2.1 and 2.2, or undefined if the batch is valid.
 * Never throws: a property that throws when it is read is reported as a problem.
 *
 * @example findBatchProblem({ batch: [] })?.message; // 'batch must hold at least one event, got an empty array'
 */
export function findBatchProblem(value: unknown): Problem | undefined {
  if (!isObject(value)) return problem('body', 'must be a JSON object', value);
  const batch = read(value, 'batch');
  if (!isArray(batch)) return problem('batch', 'must be an array of events', batch);
  const length = read(batch, 'length');
  if (typeof length !== 'number') return problem('batch.length', 'must be a number', length);
  if (length === 0) return problem('batch', 'must hold at least one event', batch, 'an empty array');
  for (let index = 0; index < length; index += 1) {
    const found = findEventProblem(read(batch, index), `batch[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the first problem of an event by the rules of section 2.2, or undefined if the event is valid. `at` is the prefix
 * of the field name. Only own properties of the event count, as in JSON. The content of `payload` is not checked. Never throws.
 *
 * @example findEventProblem({ event: 7 })?.field; // 'event.event'
 */
export function findEventProblem(value: unknown, at = 'event'): Problem | undefined {
  if (!isObject(value)) return problem(at, 'must be an object', value);
  for (const field of REQUIRED) {
    const given = read(value, field);
    if (!isNonEmptyString(given)) return problem(`${at}.${field}`, 'must be a non-empty string', given);
  }
  const timestamp = read(value, 'timestamp');
  const uuid = read(value, 'uuid');
  const payload = read(value, 'payload');
  if (timestamp !== undefined && !isTimestamp(timestamp)) {
    return problem(`${at}.timestamp`, 'must be an ISO 8601 UTC time with milliseconds', timestamp);
  }
  if (uuid !== undefined && !isUuid(uuid)) return problem(`${at}.uuid`, 'must be a UUID', uuid);
  if (payload !== undefined && !isObject(payload)) {
    return problem(`${at}.payload`, 'must be an object', payload);
  }
  return undefined;
}

/** Whether a value is a batch that the service accepts. */
export function isBatch(value: unknown): value is Batch {
  return findBatchProblem(value) === undefined;
}

/** Whether a value is an event that the service accepts. */
export function isEvent(value: unknown): value is Event {
  return findEventProblem(value) === undefined;
}

/** Whether a value is a timestamp of an event: of the form `2026-11-21T10:15:30.000Z`, with a day and an hour that exist. */
export function isTimestamp(value: unknown): value is string {
  // Date writes a time in this form, but a year after 9999 with more digits. It reads other forms too, and February 30 as March 2.
  return typeof value === 'string' && value.length === TIMESTAMP_LENGTH && new Date(value).toJSON() === value;
}

/** Whether a value is a UUID of any version, in its usual form. */
export function isUuid(value: unknown): value is string {
  // The length first: an engine puts a long string together before it is tested.
  return typeof value === 'string' && value.length === UUID_LENGTH && UUID.test(value);
}

/** Also false for a revoked proxy, which cannot be read. The same holds for `isArray`. */
function isObject(value: unknown): value is object {
  return describe(value) === 'an object';
}

function isArray(value: unknown): value is object {
  return describe(value) === 'an array';
}

function read(object: object, field: PropertyKey): unknown {
  try {
    return Object.hasOwn(object, field) ? Reflect.get(object, field) : undefined;
  } catch {
    return UNREADABLE;
  }
}

function problem(
  field: string,
  rule: string,
  value: unknown,
  got: string = value === UNREADABLE ? 'a value that throws when it is read' : describe(value),
): Problem {
  return { field, message: `${field} ${rule}, got ${got}` };
}
