import { describe, InvalidEventError } from '@sluice/protocol';

/** Beyond this depth, JSON parsers of receivers fail too. A cycle also exceeds it. */
const MAX_DEPTH = 500;
/** Bounds the walk if most values are undefined: JSON leaves these out, so they take no bytes. */
const MAX_VALUES = 100_000;
const MAX_PATH_LENGTH = 120;
const TOO_MANY: Fault = { path: '', rule: `brings the payload above ${MAX_VALUES} values` };
/** In JSON, each element of a byte array takes at least two characters. */
const BYTES_PER_ELEMENT = 2;

/** What is wrong, and the path to it. The path is built on the way back up, so that a valid payload costs no path. */
interface Fault {
  readonly path: string;
  readonly rule: string;
}

/** The progress of the walk through a payload. */
interface Walk {
  readonly maxBytes: number;
  /** An upper bound of what is left of `maxBytes`: each character counts as one byte. */
  room: number;
  values: number;
}

/** Objects of which JSON keeps little or nothing, by the names that `Object.prototype.toString` gives them. */
const LOSSY = /^(?:(?:Weak)?(?:Map|Set|Ref)|Promise|Error|RegExp|ArrayBuffer|DataView|BigInt)$/;
/** Objects that JSON writes as a primitive value. */
const BOXED = /^(?:String|Number|Boolean)$/;

/**
 * The JSON of a payload; empty if there is no payload. Throws an InvalidEventError for values that JSON would silently leave
 * out or change: functions, symbols, a Map. As in JSON, properties that are undefined are absent, and NaN and Infinity become
 * null.
 *
 * @param maxBytes The walk stops as soon as the payload must exceed this: a large payload is not read to its end.
 */
export function payloadText(payload: unknown, maxBytes: number): string {
  if (payload === undefined) return '';
  const walk: Walk = { maxBytes, room: maxBytes, values: 0 };
  const isCustom = !isLong(payload, walk) && hasToJson(payload);
  const value = isCustom ? payload.toJSON('payload') : payload;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noObject(describe(value));
  if (isStringObject(value) || (!isPlain(value) && BOXED.test(kindOf(value))))
    throw noObject(`a boxed ${kindOf(value)}`);
  const fault = isLong(value, walk) ? tooLarge(walk) : findInside(value, 0, walk);
  if (fault === undefined) return isCustom ? customText(payload) : (JSON.stringify(payload) ?? '');
  const path = `payload${fault.path}`;
  const field = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  throw new InvalidEventError(field, `${field} ${fault.rule}`);
}

function noObject(got: string): InvalidEventError {
  return new InvalidEventError('payload', `payload must be an object, got ${got}`);
}

function tooLarge({ maxBytes }: Walk): Fault {
  return { path: '', rule: `brings the payload above ${maxBytes} bytes` };
}

/** Serialises the payload as a property, because its toJSON receives the name of that property. */
function customText(payload: object): string {
  return JSON.stringify({ payload }).slice('{"payload":'.length, -'}'.length);
}

/** @param isJson Whether a toJSON returned the value: JSON does not call its toJSON again. */
function findFault(value: unknown, depth: number, walk: Walk, isJson = false): Fault | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return { path: '', rule: `must be a value that JSON can hold, got ${describe(value)}` };
    case 'object':
      if (value === null) return undefined;
      if (isLong(value, walk)) return tooLarge(walk);
      if (isJson || !hasToJson(value)) return findInside(value, depth, walk);
      if (value instanceof Date) return undefined;
      return findCounted(value.toJSON(''), depth, walk, 0, true);
    default:
      return undefined;
  }
}

/** As `findFault`, and counts the value. @param around Characters of JSON around the value. */
function findCounted(
  value: unknown,
  depth: number,
  walk: Walk,
  around: number,
  isJson?: boolean,
): Fault | undefined {
  walk.room -= around + (typeof value === 'string' ? value.length + 2 : 1);
  if (walk.room < 0) return tooLarge(walk);
  return isSimple(value) ? undefined : findFault(value, depth, walk, isJson);
}

function findInside(value: object, depth: number, walk: Walk): Fault | undefined {
  if (depth > MAX_DEPTH) {
    return { path: '', rule: `is nested more than ${MAX_DEPTH} levels deep, or in a cycle` };
  }
  if (Array.isArray(value)) {
    walk.values += value.length;
    if (walk.values > MAX_VALUES) return TOO_MANY;
    for (let index = 0; index < value.length; index += 1) {
      const fault = findCounted(value[index], depth + 1, walk, 1);
      if (fault !== undefined) return { ...fault, path: `[${index}]${fault.path}` };
    }
    return undefined;
  }
  // JSON writes it as text: do not walk through its characters.
  if (isStringObject(value)) return findCounted(String(value), depth, walk, 0);
  const hasPlainKeys = isPlain(value);
  const loss = hasPlainKeys ? undefined : findLoss(value);
  if (loss !== undefined) return loss;
  // Faster than Object.keys, but lists inherited properties too, which JSON ignores.
  for (const key in value) {
    if (!hasPlainKeys && !Object.hasOwn(value, key)) continue;
    walk.values += 1;
    if (walk.values > MAX_VALUES) return TOO_MANY;
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    const fault = findCounted(item, depth + 1, walk, key.length + 4);
    // A plain object inherits only what a page added to Object.prototype: a fault in that does not count.
    if (fault !== undefined && Object.hasOwn(value, key)) {
      return { ...fault, path: `.${key}${fault.path}` };
    }
  }
  return undefined;
}

/** Most values are: they need none of the checks that objects need. */
function isSimple(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether this is a typed array with too many elements for the bytes that are left. Reads none of them. */
function isLong(value: unknown, { room }: Walk): boolean {
  if (!ArrayBuffer.isView(value)) return false;
  const { length = 0 } = value as Partial<Uint8Array>;
  return length * BYTES_PER_ELEMENT > room;
}

/** Whether it is a String object, also one of another realm or with a changed tag. */
function isStringObject(value: object): boolean {
  if (!Object.hasOwn(value, 'length')) return false;
  try {
    String.prototype.valueOf.call(value);
    return true;
  } catch {
    return false;
  }
}

/** JSON would write `{}` for a Map, a Set, an Error, or another built-in object without properties of its own. */
function findLoss(value: object): Fault | undefined {
  const kind = kindOf(value);
  const isSound =
    kind === 'Object' || BOXED.test(kind) || (!LOSSY.test(kind) && Object.keys(value).length > 0);
  return isSound
    ? undefined
    : { path: '', rule: `must be a plain object, got a ${kind}, which JSON cannot hold` };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';
}
