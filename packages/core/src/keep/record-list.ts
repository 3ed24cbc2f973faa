import { type EventBytes, type Limit, mergeEvents, sliceEvents } from '../base/event-bytes.ts';
import { type Span, without } from '../base/range.ts';

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
  /** All that were added and not removed, and some that were removed. */
  all: readonly Record[] = [];
  /** Size of the records that are not completely released. */
  bytes = 0;
  #removed = new Set<Record>();

  /** Inserts a record in order; usually that is at the end. */
  add(record: Record): Record {
    (this.all as Record[]).splice(this.#positionOf(record.from), 0, record);
    this.bytes += record.bytes;
    return record;
  }

  /** The record with this index, even if all its events are released. */
  at(index: number): Record | undefined {
    const record = this.all[this.#positionOf(index)];
    return record && record.from <= index ? record : undefined;
  }

  /**
   * The adjacent records that a read from the start of the range needs, as far as they fit the limit: what is left of one that is sent
   * in parts is written anew. At least one, if a record with unreleased events has the first index.
   */
  within({ from, to }: Span, { maxEvents, maxBytes }: Limit): Record[] {
    const found: Record[] = [];
    let room = maxBytes + 1;
    let next = from;
    while (next < to) {
      const record = this.at(next);
      if (!record?.rest.length) break;
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
    for (let position = this.#positionOf(range.from); ; position += 1) {
      const record = this.all[position];
      if (!record || record.from >= range.to) return changed;
      if (record.rest.length === 0) continue;
      record.rest = record.rest.flatMap((part) => without(part, range));
      if (record.rest.length === 0) this.bytes -= record.bytes;
      changed.push(record);
    }
  }

  /** Removes a record that is completely released. */
  remove(record: Record): void {
    this.#removed.add(record);
    // Now and then, so that a removal does not move all others.
    if (this.#removed.size * 2 <= this.all.length) return;
    this.all = this.all.filter((other) => !this.#removed.has(other));
    this.#removed.clear();
  }

  /** The position of the first record that ends after an index. */
  #positionOf(index: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.all[middle]?.to ?? 0) > index) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Joins the events of adjacent pieces, from the start of a range up to the limit. Stops at the first gap. */
export function readPieces(
  { from, to }: Span,
  { maxEvents, maxBytes }: Limit,
  pieces: readonly Piece[],
): EventBytes {
  const parts: EventBytes[] = [];
  const most = Math.min(to, from + maxEvents);
  let next = from;
  let room = maxBytes;
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
