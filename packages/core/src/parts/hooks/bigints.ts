import { isLong, MAX_DEPTH } from '../../accept/payload.ts';
import { seenByJson } from './redact.ts';

/**
 * The value with the digits of each bigint in it as text. Copies only what leads to one.
 *
 * @param walk How many values may still be looked at. What has more, or is deeper, as in a cycle, is refused later.
 */
export function digits(given: unknown, walk: { room: number }, depth = 0): unknown {
  const value = seenByJson(given);
  if (typeof value === 'bigint') return String(value);
  walk.room -= 1;
  if (typeof value !== 'object' || value === null || value instanceof String) return value;
  if (depth > MAX_DEPTH || walk.room < 0 || isLong(value, walk)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, item] of Object.entries(value)) {
    const changed = digits(item, walk, depth + 1);
    if (changed === item) continue;
    copy ??= Object.assign((Array.isArray(value) ? [] : {}) as Record<string, unknown>, value);
    copy[name] = changed;
  }
  return copy ?? value;
}
