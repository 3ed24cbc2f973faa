import { describe, InvalidEventError } from '@sluice/protocol';

/** Deeper than this, receivers' JSON parsers give up too; a cycle looks the same. */
const MAX_DEPTH = 500;
/** Bounds the walk where objects are shared many times over. */
const MAX_VALUES = 100_000;
const MAX_PATH_LENGTH = 120;
const TOO_MANY: Fault = { path: '', rule: `brings the payload above ${MAX_VALUES} values` };

/** What is wrong, and the path to it, made on the way back so that a sound payload costs no path. */
interface Fault {
  readonly path: string;
  readonly rule: string;
}

/** Objects of which JSON keeps nothing or next to nothing, by the names that `Object.prototype.toString` gives them. */
const LOSSY = /^(?:(?:Weak)?(?:Map|Set|Ref)|Promise|Error|RegExp|ArrayBuffer|DataView|BigInt)$/;
/** Objects that JSON makes a value of. */
const BOXED = /^(?:String|Number|Boolean)$/;

/**
 * The JSON of a payload, empty where there is none; or an InvalidEventError. Refuses what JSON would silently leave out or
 * change: functions, symbols, a Map. As in JSON, properties that are undefined are absent, and NaN and Infinity become null.
 */
export function payloadText(payload: unknown): string {
  if (payload === undefined) return '';
  const isCustom = hasToJson(payload);
  const value = isCustom ? payload.toJSON('payload') : payload;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noObject(describe(value));
  if (!isPlain(value) && BOXED.test(kindOf(value))) throw noObject(`a boxed ${kindOf(value)}`);
  const fault = findInside(value, 0, { values: 0 });
  if (fault === undefined) return isCustom ? customText(payload) : (JSON.stringify(payload) ?? '');
  const path = `payload${fault.path}`;
  const field = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  throw new InvalidEventError(field, `${field} ${fault.rule}`);
}

function noObject(got: string): InvalidEventError {
  return new InvalidEventError('payload', `payload must be an object, got ${got}`);
}

/** Within an event, where its toJSON is told the name that it has there. */
function customText(payload: object): string {
  return JSON.stringify({ payload }).slice('{"payload":'.length, -'}'.length);
}

/** @param isJson Whether a toJSON gave it: then it is not asked for its toJSON again. */
function findFault(
  value: unknown,
  depth: number,
  seen: { values: number },
  isJson = false,
): Fault | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return { path: '', rule: `must be a value that JSON can hold, got ${describe(value)}` };
    case 'object':
      if (value === null) return undefined;
      if (isJson || !hasToJson(value)) return findInside(value, depth, seen);
      return value instanceof Date ? undefined : findFault(value.toJSON(''), depth, seen, true);
    default:
      return undefined;
  }
}

function findInside(value: object, depth: number, seen: { values: number }): Fault | undefined {
  if (depth > MAX_DEPTH) {
    return { path: '', rule: `is nested more than ${MAX_DEPTH} levels deep, or in a cycle` };
  }
  if (Array.isArray(value)) {
    seen.values += value.length;
    if (seen.values > MAX_VALUES) return TOO_MANY;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (isSimple(item)) continue;
      const fault = findFault(item, depth + 1, seen);
      if (fault !== undefined) return { ...fault, path: `[${index}]${fault.path}` };
    }
    return undefined;
  }
  const hasPlainKeys = isPlain(value);
  const loss = hasPlainKeys ? undefined : findLoss(value);
  if (loss !== undefined) return loss;
  // Faster than Object.keys, but gives what is inherited too: JSON does not look at it.
  for (const key in value) {
    if (!hasPlainKeys && !Object.hasOwn(value, key)) continue;
    seen.values += 1;
    if (seen.values > MAX_VALUES) return TOO_MANY;
    const item = (value as Record<string, unknown>)[key];
    if (isSimple(item)) continue;
    const fault = findFault(item, depth + 1, seen);
    // A plain object inherits what a page added to Object.prototype, and nothing else.
    if (fault !== undefined && Object.hasOwn(value, key)) {
      return { ...fault, path: `.${key}${fault.path}` };
    }
  }
  return undefined;
}

/** Most values are, and need none of the questions that objects do. */
function isSimple(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A Map, a Set, an Error, or anything else of a class of its own that shows nothing, would be sent as `{}`. */
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
