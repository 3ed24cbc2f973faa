import { type EventBytes, type Limit, mergeEvents, sliceEvents } from '../base/event-bytes.ts';
import { firstBehind, type Range, type Span, without } from '../base/range.ts';
import type { Reading } from './journal.ts';

/** Events that were appended together, and their size in bytes. */
export interface Kept extends Span {
  readonly bytes: number;
  /** The parts that are not released yet. */
  rest: readonly Span[];
}

/** Events from index `from` on. */
export interface Piece extends EventBytes {
  readonly from: number;
}

/** The records of a segment, in order. A lookup is a binary search. The cost of a release does not grow with the backlog. */
export class RecordList<Record extends Kept> {
  /** All that were added, but for some that are completely released. */
  all: readonly Record[] = [];
  /** Size of the records that are not completely released. */
  bytes = 0;
  /** Number of records in the list that are completely released. */
  #released = 0;

  /** Inserts a record in order; usually that is at the end. */
  add(record: Record): void {
    (this.all as Record[]).splice(firstBehind(this.all, record.from), 0, record);
    this.bytes += record.bytes;
  }

  /** The adjacent records that a read from the start of a range needs, within the limit, but at least one unless all is released. */
  within({ from, to }: Span, { maxEvents, maxBytes }: Limit): Record[] {
    const found: Record[] = [];
    let room = maxBytes + 1;
    let next = from;
    while (next < to) {
      const record = this.all[firstBehind(this.all, next)];
      if (!record?.rest.length || record.from > next) break;
      room -= record.bytes + 1;
      if (found.length > 0 && (room < 0 || record.to - from > maxEvents)) break;
      found.push(record);
      next = record.to;
    }
    return found;
  }

  /** Releases events; ignores those that are not in the list. Returns the records that changed. */
  release(range: Span): Record[] {
    const changed: Record[] = [];
    for (let position = firstBehind(this.all, range.from); ; position += 1) {
      const record = this.all[position];
      if (!record || record.from >= range.to) break;
      if (record.rest.length === 0) continue;
      record.rest = record.rest.flatMap((part) => without(part, range));
      changed.push(record);
      if (record.rest.length > 0) continue;
      this.bytes -= record.bytes;
      this.#released += 1;
    }
    // Now and then, so that a release does not move all others.
    if (this.#released * 2 > this.all.length) {
      this.all = this.all.filter(({ rest }) => rest.length > 0);
      this.#released = 0;
    }
    return changed;
  }
}

/** Joins the events of adjacent pieces, from the start of a range up to the limit. Stops at the first gap. */
export function readPieces(range: Range, { maxEvents, maxBytes }: Limit, pieces: readonly Piece[]): Reading {
  const { from, to } = range;
  const parts: EventBytes[] = [];
  const most = Math.min(to, from + maxEvents);
  let [next, room] = [from, maxBytes];
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
  return { events: mergeEvents(parts), range: next > from ? { ...range, to: next } : range };
}
