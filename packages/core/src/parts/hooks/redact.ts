import { hasToJson } from '../../accept/payload.ts';

const REDACTED = '[redacted]';
/** Stands for each element of an array, and each property of an object. */
const ANY = '*';

/** Replaces the values at these paths, such as `user.email` or `items.*.note`. Changes nothing: it copies what leads there. */
export function redacted(fields: unknown, paths: readonly string[]): unknown {
  return paths.reduce((copy, path) => redactAt(copy, path.split('.')), fields);
}

/** What JSON sees of a value. */
export function seenByJson(value: unknown): unknown {
  return hasToJson(value) ? value.toJSON('') : value;
}

function redactAt(given: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return REDACTED;
  const value = seenByJson(given);
  if (typeof value !== 'object' || value === null) return value;
  const empty: object = Array.isArray(value) ? [] : {};
  const copy: Record<string, unknown> = Object.assign(empty as Record<string, unknown>, value);
  const names = step === ANY ? Object.keys(copy) : Object.hasOwn(copy, step) ? [step] : [];
  for (const name of names) copy[name] = redactAt(copy[name], rest);
  return copy;
}
