/** Consecutive events as bytes: JSON texts in UTF-8, separated by commas, as in the body of a batch. */
export interface EventBytes {
  readonly bytes: Uint8Array;
  /** Offset in `bytes` at which each event ends; the comma after it is not part of it. */
  readonly ends: Uint32Array;
  /** When each event was accepted, in milliseconds since 1970. Left out if not known: such events never expire. */
  readonly times?: Float64Array | undefined;
}

/** How much to take at once. A single event larger than `maxBytes` is taken alone. */
export interface Limit {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** No events. */
export const NO_EVENTS: EventBytes = { bytes: new Uint8Array(0), ends: new Uint32Array(0) };

const encoder = new TextEncoder();

/** The comma between two events. */
export const COMMA = 0x2c;

/** The events from index `first` on that fit the limit: at least one, if there is one. Copies no bytes. */
export function sliceEvents({ bytes, ends, times }: EventBytes, first: number, limit: Limit): EventBytes {
  const start = first === 0 ? 0 : (ends[first - 1] ?? 0) + 1;
  const most = Math.min(first + limit.maxEvents, ends.length);
  let last = most;
  if ((ends[most - 1] ?? 0) - start > limit.maxBytes) {
    last = Math.min(first + 1, most);
    while (last < most && (ends[last] ?? 0) - start <= limit.maxBytes) last += 1;
  }
  const slice = ends.slice(first, last);
  if (start > 0)
    for (let index = 0; index < slice.length; index += 1) slice[index] = (slice[index] ?? 0) - start;
  return {
    bytes: bytes.subarray(start, start + (slice.at(-1) ?? 0)),
    ends: slice,
    times: times?.slice(first, last),
  };
}

/** Encodes texts as events, each with the time at which it was accepted. */
export function encodeEvents(texts: readonly string[], times: readonly number[]): EventBytes {
  const joined = texts.join(',');
  // One call for all texts: a call costs more than encoding one text.
  const bytes = encoder.encode(joined);
  const isAscii = bytes.length === joined.length;
  let end = -1;
  const ends = Uint32Array.from(texts, (text) => {
    end += 1 + (isAscii ? text.length : encoder.encode(text).length);
    return end;
  });
  return { bytes, ends, times: Float64Array.from(times) };
}

/** Joins texts to events that were all accepted at the same time. */
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

/** The text of each event. Copies no bytes. */
export function splitEvents({ bytes, ends }: EventBytes): Uint8Array[] {
  return Array.from(ends, (end, index) => bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end));
}

/** Merges groups into one. A single group is returned as it is, without a copy. */
export function mergeEvents(groups: readonly EventBytes[]): EventBytes {
  const [first] = groups;
  if (first !== undefined && groups.length === 1) return first;
  return copyEvents(groups, new Uint8Array(joinedLength(groups)), 0);
}

/** The size of the merged groups, in bytes. */
export function joinedLength(groups: readonly EventBytes[]): number {
  return groups.reduce((total, { bytes }) => total + bytes.length + 1, -1);
}

/** Copies groups, merged into one, to an offset in other memory. There must be room for them. */
function copyEvents(groups: readonly EventBytes[], target: Uint8Array, offset: number): EventBytes {
  const count = groups.reduce((total, { ends }) => total + ends.length, 0);
  const ends = new Uint32Array(count);
  const times = new Float64Array(count);
  let start = 0;
  let next = 0;
  for (const group of groups) {
    if (start > 0) target[offset + start - 1] = COMMA;
    target.set(group.bytes, offset + start);
    for (let index = 0; index < group.ends.length; index += 1) {
      ends[next] = start + (group.ends[index] ?? 0);
      times[next] = group.times?.[index] ?? Number.NaN;
      next += 1;
    }
    start += group.bytes.length + 1;
  }
  return { bytes: target.subarray(offset, offset + Math.max(0, start - 1)), ends, times };
}
