import type { EventBytes, Limit } from './journal.ts';

/** What stands between two events. */
export const COMMA = 0x2c;

/** The events from number `first` on that are within the limit, at least one where there is one. No bytes are copied. */
export function sliceEvents({ bytes, ends, times }: EventBytes, first: number, limit: Limit): EventBytes {
  const start = first === 0 ? 0 : (ends[first - 1] ?? 0) + 1;
  const most = Math.min(first + limit.maxEvents, ends.length);
  let last = Math.min(first + 1, most);
  while (last < most && (ends[last] ?? 0) - start <= limit.maxBytes) last += 1;
  const slice = ends.slice(first, last);
  for (let index = 0; index < slice.length; index += 1) slice[index] = (slice[index] ?? 0) - start;
  return {
    bytes: bytes.subarray(start, start + (slice.at(-1) ?? 0)),
    ends: slice,
    times: times?.subarray(first, last),
  };
}

/** Texts as events that were all accepted at one time. */
export function joinEvents(texts: readonly Uint8Array[], time: number): EventBytes {
  const ends = new Uint32Array(texts.length);
  const times = new Float64Array(texts.length).fill(time);
  const bytes = new Uint8Array(texts.reduce((length, text) => length + text.length + 1, -1)).fill(COMMA);
  let start = 0;
  for (const [index, text] of texts.entries()) {
    bytes.set(text, start);
    ends[index] = start + text.length;
    start += text.length + 1;
  }
  return { bytes, ends, times };
}

/** Each event's text. No bytes are copied. */
export function splitEvents({ bytes, ends }: EventBytes): Uint8Array[] {
  return Array.from(ends, (end, index) => bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end));
}

/** Groups as one; what is alone is not copied. */
export function mergeEvents(groups: readonly EventBytes[]): EventBytes {
  const [first] = groups;
  if (first !== undefined && groups.length === 1) return first;
  const bytes = new Uint8Array(groups.reduce((total, group) => total + group.bytes.length + 1, -1)).fill(
    COMMA,
  );
  const ends: number[] = [];
  const times: number[] = [];
  let start = 0;
  for (const group of groups) {
    bytes.set(group.bytes, start);
    for (const [index, end] of group.ends.entries()) {
      ends.push(start + end);
      times.push(group.times?.[index] ?? Number.NaN);
    }
    start += group.bytes.length + 1;
  }
  return { bytes, ends: Uint32Array.from(ends), times: Float64Array.from(times) };
}
