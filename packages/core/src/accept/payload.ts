import { InvalidEventError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';

/** Beyond this depth, JSON parsers of receivers fail too. A cycle also exceeds it. */
export const MAX_DEPTH: number = 500;
const MAX_PATH_LENGTH = 50;
/** In JSON, each element of an array takes at least two characters, and one of a typed array has its index as well. */
const BYTES_PER_ELEMENT = 2;
const BYTES_PER_ENTRY = 6;
/** The characters of a time, less the one that counts for each value. */
const DATE_BYTES = 23;
const PREFIX = '{"payload":';

/** Objects of which JSON keeps little or nothing, by the names that `Object.prototype.toString` gives them. */
export const LOSSY: RegExp =
  /^(?:(?:Weak)?(?:Map|Set|Ref)|Promise|Error|RegExp|ArrayBuffer|DataView|BigInt)$/;
/** Objects that may have no properties: plain ones, and those that JSON writes as a primitive value. */
const SOUND = /^(?:Object|String|Number|Boolean)$/;

/** The progress of the walk through a payload. */
interface Walk {
  readonly maxBytes: number;
  /**
   * An upper bound of what is left of `maxBytes`: each character counts as one byte. It also bounds the walk: each property
   * counts, even an undefined one, which JSON leaves out.
   */
  room: number;
  /** Where the fault is. Built on the way back up, so that a valid payload costs no path. */
  path: string;
}

/**
 * The JSON of a payload; empty if there is no payload. Throws an InvalidEventError for values that JSON would silently leave
 * out or change: a bigint, a Map. As in JSON, undefined properties, functions and symbols are absent, and NaN and Infinity become
 * null.
 *
 * @param maxBytes The walk stops as soon as the payload must exceed this: a large payload is not read to its end.
 */
export function payloadText(payload: unknown, maxBytes: number): string {
  if (payload === undefined) return '';
  const walk: Walk = { maxBytes, room: maxBytes, path: '' };
  let fault = findFault(payload, 0, walk, 0);
  if (fault === undefined) {
    // Most payloads: the fast way out. Reading even one character of a new text is slow.
    if (payload !== null && isPlain(payload) && !hasToJson(payload)) return JSON.stringify(payload);
    // A toJSON receives the name of the property.
    const text = JSON.stringify({ payload }).slice(PREFIX.length, -1);
    if (text.startsWith('{')) return text;
    fault = `must be an object, got ${describe(text !== '' ? JSON.parse(text) : hasToJson(payload) ? undefined : payload)}`;
  }
  const path = `payload${walk.path}`;
  const field = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  throw new InvalidEventError(field, `${field} ${fault}`);
}

/**
 * What is wrong with a value; `walk.path` then says where in it.
 *
 * @param around Characters of JSON around the value.
 * @param isJson Whether a toJSON returned the value: JSON does not call its toJSON again.
 */
function findFault(value: unknown, depth: number, walk: Walk, around: number, isJson = false) {
  const isText = typeof value === 'string';
  walk.room -= around + (isText ? value.length + 2 : 1);
  if (walk.room < 0) return tooLarge(walk);
  // Most values: the fast way out. The function is short, so that the engine inlines it.
  const isSimple = isText || typeof value === 'number' || typeof value === 'boolean';
  return isSimple ? undefined : findInObject(value, depth, walk, isJson);
}

function findInObject(value: unknown, depth: number, walk: Walk, isJson: boolean): string | undefined {
  if (value === null || value === undefined) return undefined;
  // JSON leaves out functions and symbols.
  if (typeof value !== 'object')
    return typeof value === 'bigint' ? lost('a bigint; set the option bigint') : undefined;
  if (isLong(value, walk)) return tooLarge(walk);
  if (isJson || !hasToJson(value)) return findInside(value, depth, walk);
  // Calling toJSON of a Date costs as much as the rest of the event.
  if (value instanceof Date) return findFault('', depth, walk, DATE_BYTES);
  return findFault(value.toJSON(''), depth, walk, 0, true);
}

function findInside(value: object, depth: number, walk: Walk): string | undefined {
  if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels, or in a cycle`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = findFault(value[index], depth + 1, walk, 1);
      if (fault === undefined) continue;
      walk.path = `[${index}]${walk.path}`;
      return fault;
    }
    return undefined;
  }
  const hasPlainKeys = isPlain(value);
  if (!hasPlainKeys) {
    // JSON writes it as text: do not walk through its characters.
    if (value instanceof String) return findFault(String(value), depth, walk, 0);
    const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
    // JSON would write `{}` for a Map, a Set, an Error, or another built-in object without properties of its own.
    if (!SOUND.test(kind) && (LOSSY.test(kind) || Object.keys(value).length === 0)) return lost(`a ${kind}`);
  }
  // Faster than Object.keys, but lists inherited properties too, which JSON ignores.
  for (const key in value) {
    if (!hasPlainKeys && !Object.hasOwn(value, key)) continue;
    const item = (value as Record<string, unknown>)[key];
    const fault = findFault(item, depth + 1, walk, item === undefined ? 0 : key.length + 4);
    if (fault === undefined) continue;
    // A plain object inherits only what a page added to Object.prototype: a fault in that does not count.
    walk.path = Object.hasOwn(value, key) ? `.${key.slice(0, MAX_PATH_LENGTH)}${walk.path}` : '';
    if (walk.path !== '') return fault;
  }
  return undefined;
}

export function isPlain(value: unknown): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function lost(got: string): string {
  return `must be a value that JSON can hold, got ${got}`;
}

function tooLarge({ maxBytes }: Walk): string {
  return `makes the payload exceed ${maxBytes} bytes`;
}

/** Whether this is an array with too many elements for the bytes that are left. Reads none of them. */
export function isLong(value: object, { room }: Pick<Walk, 'room'>): boolean {
  const isArray = Array.isArray(value);
  return (
    (isArray || ArrayBuffer.isView(value)) &&
    // A Buffer becomes an array.
    (value as Uint8Array).length * (isArray || hasToJson(value) ? BYTES_PER_ELEMENT : BYTES_PER_ENTRY) > room
  );
}

export function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';
}
