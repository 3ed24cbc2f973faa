import type { EventBytes, Limit } from '@sluice/core';

/** Events from index `from` on. */
export interface Piece extends EventBytes {
  readonly from: number;
}

/** No events. */
export const NO_EVENTS: EventBytes = { bytes: new Uint8Array(0), ends: new Uint32Array(0) };

const COMMA = 0x2c;

/** Consecutive events. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Joins the events of adjacent pieces, from the start of a span up to the limit. Stops at the first gap. */
export function joinPieces({ from, to }: Span, limit: Limit, pieces: readonly Piece[]): EventBytes {
  const parts: EventBytes[] = [];
  const most = Math.min(to, from + limit.maxEvents);
  let next = from;
  let room = limit.maxBytes;
  for (const piece of pieces) {
    const first = next - piece.from;
    if (first < 0 || next >= most) break;
    if (first >= piece.ends.length) continue;
    const part = slice(piece, first, Math.min(piece.ends.length, most - piece.from), room);
    // Only the first event may be larger than the limit.
    if (parts.length > 0 && part.bytes.length > room) break;
    parts.push(part);
    next += part.ends.length;
    room -= part.bytes.length + 1;
  }
  return merge(parts);
}

/** The parts of spans that lie outside of another one. */
export function outside(spans: readonly Span[], { from, to }: Span): Span[] {
  return spans
    .flatMap((span) => [
      { from: span.from, to: Math.min(span.to, from) },
      { from: Math.max(span.from, to), to: span.to },
    ])
    .filter((span) => span.from < span.to);
}

/** The events from index `first` to index `last` as far as they fit; at least one. */
function slice(
  { bytes, ends, times }: EventBytes,
  first: number,
  last: number,
  maxBytes: number,
): EventBytes {
  const start = (ends[first - 1] ?? -1) + 1;
  let to = last;
  while (to > first + 1 && (ends[to - 1] ?? 0) - start > maxBytes) to -= 1;
  const part = ends.subarray(first, to).map((end) => end - start);
  return {
    bytes: bytes.subarray(start, start + (part.at(-1) ?? 0)),
    ends: part,
    times: times?.slice(first, to),
  };
}

function merge(parts: readonly EventBytes[]): EventBytes {
  const [first = NO_EVENTS] = parts;
  if (parts.length < 2) return first;
  const length = parts.reduce((total, { bytes }) => total + bytes.length + 1, -1);
  const bytes = new Uint8Array(length).fill(COMMA);
  const ends: number[] = [];
  const times: number[] = [];
  let start = 0;
  for (const part of parts) {
    bytes.set(part.bytes, start);
    for (const [index, end] of part.ends.entries()) {
      ends.push(start + end);
      times.push(part.times?.[index] ?? Number.NaN);
    }
    start += part.bytes.length + 1;
  }
  return { bytes, ends: Uint32Array.from(ends), times: Float64Array.from(times) };
}
