import { type EventBytes, type Limit, mergeEvents, sliceEvents } from '@sluice/core/event-bytes';

/** Events from index `from` on. */
export interface Piece extends EventBytes {
  readonly from: number;
}

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
    const part = sliceEvents(piece, first, { maxEvents: most - next, maxBytes: room });
    // Only the first event may be larger than the limit.
    if (parts.length > 0 && part.bytes.length > room) break;
    parts.push(part);
    next += part.ends.length;
    room -= part.bytes.length + 1;
  }
  return mergeEvents(parts);
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
