import { type EventBytes, type Limit, mergeEvents, NO_EVENTS, sliceEvents } from '../base/event-bytes.ts';
import { type Range, without } from '../base/range.ts';

/** Events that were appended together: indexes `from` (inclusive) to `to` (exclusive), and their size in bytes. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

interface Entry<C extends Chunk> {
  readonly chunk: C;
  /** The parts that are not acknowledged yet. */
  rest: readonly Omit<Range, 'segment'>[];
}

/** The chunks of a segment, in order. A lookup is a binary search. The cost of a release does not grow with the backlog. */
export class ChunkList<C extends Chunk> {
  #entries: Entry<C>[] = [];
  /** Released entries that are still in the array. */
  #released = 0;

  /** Inserts a chunk in order; usually that is at the end. */
  push(chunk: C): void {
    this.#entries.splice(this.#positionOf(chunk.from), 0, {
      chunk,
      rest: [{ from: chunk.from, to: chunk.to }],
    });
  }

  /** The chunks with events that are not acknowledged yet. */
  get chunks(): C[] {
    return this.#entries.filter(({ rest }) => rest.length > 0).map(({ chunk }) => chunk);
  }

  /** The chunk that holds an event; undefined if all events of that chunk are acknowledged. */
  find(index: number): C | undefined {
    const entry = this.#entries[this.#positionOf(index)];
    return entry !== undefined && entry.chunk.from <= index && entry.rest.length > 0
      ? entry.chunk
      : undefined;
  }

  /**
   * The adjacent chunks that a read from the start of the range needs, within the limit. At least one, if a chunk holds the
   * first event.
   */
  within({ from, to }: Range, { maxEvents, maxBytes }: Limit): C[] {
    const found: C[] = [];
    const most = Math.min(to, from + maxEvents);
    let room = maxBytes;
    let chunk = this.find(from);
    while (chunk !== undefined) {
      found.push(chunk);
      room -= chunk.bytes;
      chunk = chunk.to < most && room > 0 ? this.find(chunk.to) : undefined;
    }
    return found;
  }

  /** The unacknowledged parts of the chunk that holds an event. */
  restOf(index: number): readonly Omit<Range, 'segment'>[] {
    return this.#entries[this.#positionOf(index)]?.rest ?? [];
  }

  /** Acknowledges events; ignores those that are not in the list. Returns the chunks that this completed. */
  acknowledge({ from, to }: Range): C[] {
    const done: C[] = [];
    for (let position = this.#positionOf(from); ; position += 1) {
      const entry = this.#entries[position];
      if (entry === undefined || entry.chunk.from >= to) break;
      if (entry.rest.length === 0) continue;
      entry.rest = entry.rest.flatMap((part) => without(part, { from, to }));
      if (entry.rest.length === 0) done.push(entry.chunk);
    }
    this.#released += done.length;
    if (this.#released * 2 > this.#entries.length) {
      this.#entries = this.#entries.filter(({ rest }) => rest.length > 0);
      this.#released = 0;
    }
    return done;
  }

  /** The position of the first chunk that ends after an index. */
  #positionOf(index: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.chunk.to ?? 0) > index) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Joins the events of adjacent chunks, from the start of a range up to the limit. Stops at the first gap. */
export function readChunks(
  { from, to }: Range,
  { maxEvents, maxBytes }: Limit,
  chunks: readonly Chunk[],
  /** The events of each chunk; undefined if they are gone from storage. */
  contents: readonly (EventBytes | undefined)[],
): EventBytes {
  const parts: EventBytes[] = [];
  const most = Math.min(to, from + maxEvents);
  let next = from;
  let room = maxBytes;
  // Small appends are read together, as one group.
  for (const [index, chunk] of chunks.entries()) {
    const events = contents[index];
    if (events === undefined || next < chunk.from) break;
    const part = sliceEvents(events, next - chunk.from, { maxEvents: most - next, maxBytes: room });
    if (parts.length > 0 && part.bytes.length > room) break;
    parts.push(part);
    next += part.ends.length;
    room -= part.bytes.length + 1;
  }
  return parts.length === 0 ? NO_EVENTS : mergeEvents(parts);
}
