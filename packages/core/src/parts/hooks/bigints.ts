import { seenByJson } from './redact.ts';

/** Deeper payloads, and those in a cycle, are refused later. */
const MAX_DEPTH = 500;

/** The value with the digits of each bigint in it as text. Copies only what leads to one. */
export function digits(given: unknown, depth = 0): unknown {
  const value = seenByJson(given);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, item] of Object.entries(value)) {
    const changed = digits(item, depth + 1);
    if (changed === item) continue;
    copy ??= Object.assign((Array.isArray(value) ? [] : {}) as Record<string, unknown>, value);
    copy[name] = changed;
  }
  return copy ?? value;
}
