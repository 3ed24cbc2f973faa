/** Consecutive events as bytes: JSON texts in UTF-8, separated by commas, as in the body of a batch. */
export interface EventBytes {
  readonly bytes: Uint8Array;
  /** Offset in `bytes` at which each event ends; the comma after it is not part of it. */
  readonly ends: Uint32Array;
  /** When each event was accepted, in milliseconds since 1970. Left out if not known: such events never expire. */
  readonly times?: Float64Array | undefined;
}

/** How much to take at once. An event larger than `maxBytes` is taken alone. */
export interface Limit {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

export const NO_EVENTS: EventBytes = { bytes: new Uint8Array(0), ends: new Uint32Array(0) };

const encoder = new TextEncoder();

/** The largest event that any option allows. */
export const MOST_EVENT_BYTES: number = 16 * 1024 * 1024;

export const COMMA = 0x2c;

/** The events from index `first` on that fit the limit: at least one, if there is one. Copies no bytes. */
export function sliceEvents({ bytes, ends, times }: EventBytes, first: number, limit: Limit): EventBytes {
  const start = startOf(ends, first);
  let last = Math.min(first + limit.maxEvents, ends.length);
  while (last > first + 1 && (ends[last - 1] ?? 0) - start > limit.maxBytes) last -= 1;
  const slice = ends.subarray(first, last).map((end) => end - start);
  return {
    bytes: bytes.subarray(start, start + (slice.at(-1) ?? 0)),
    ends: slice,
    times: times?.slice(first, last),
  };
}

/** An event starts after the comma that follows the previous one. */
function startOf(ends: Uint32Array, index: number): number {
  return (ends[index - 1] ?? -1) + 1;
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
  const times = Float64Array.of(time);
  return mergeEvents(texts.map((bytes) => ({ bytes, ends: Uint32Array.of(bytes.length), times })));
}

/** The text of each event. Copies no bytes. */
export function splitEvents({ bytes, ends }: EventBytes): Uint8Array[] {
  return Array.from(ends, (end, index) => bytes.subarray(startOf(ends, index), end));
}

/** Merges groups into one. Returns a single group without a copy. */
export function mergeEvents(groups: readonly EventBytes[]): EventBytes {
  const [first = NO_EVENTS] = groups;
  if (groups.length < 2) return first;
  const length = groups.reduce((total, { bytes }) => total + bytes.length + 1, -1);
  const bytes = new Uint8Array(length).fill(COMMA);
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
