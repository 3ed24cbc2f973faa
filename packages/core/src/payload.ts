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

/**
 * The payload to serialise, or an InvalidEventError. Refuses what JSON would silently leave out or change: functions,
 * symbols, a Map. As in JSON, properties that are undefined are absent, and NaN and Infinity become null.
 */
export function checkedPayload(payload: unknown): object | undefined {
  if (payload === undefined) return undefined;
  const value = hasToJson(payload) ? payload.toJSON() : payload;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidEventError('payload', `payload must be an object, got ${describe(value)}`);
  }
  const fault = findFault(value, 0, { values: 0 });
  if (fault === undefined) return value;
  const path = `payload${fault.path}`;
  const field = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  throw new InvalidEventError(field, `${field} ${fault.rule}`);
}

function findFault(value: unknown, depth: number, seen: { values: number }): Fault | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return { path: '', rule: `must be a value that JSON can hold, got ${describe(value)}` };
    case 'object':
      return value === null || (depth > 0 && hasToJson(value)) ? undefined : findInside(value, depth, seen);
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
      const fault = findFault(value[index], depth + 1, seen);
      if (fault !== undefined) return { ...fault, path: `[${index}]${fault.path}` };
    }
    return undefined;
  }
  const keys = Object.keys(value);
  seen.values += keys.length;
  if (seen.values > MAX_VALUES) return TOO_MANY;
  if (keys.length === 0) return findLoss(value);
  for (const key of keys) {
    const fault = findFault((value as Record<string, unknown>)[key], depth + 1, seen);
    if (fault !== undefined) return { ...fault, path: `.${key}${fault.path}` };
  }
  return undefined;
}

/** What looks empty to JSON must be so: a Map, a Set or an Error would be sent as `{}`. */
function findLoss(value: object): Fault | undefined {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Object') return undefined;
  return { path: '', rule: `must be a plain object, got a ${kind}, which JSON cannot hold` };
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';
}
