import { type EventBytes, type Limit, mergeEvents, NO_EVENTS, sliceEvents } from '../base/event-bytes.ts';
import { type Range, without } from '../base/range.ts';

/** Events that were appended together: indexes `from` (inclusive) to `to` (exclusive), and the bytes that they take. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

interface Entry<C extends Chunk> {
  readonly chunk: C;
  /** What of it is not acknowledged yet. */
  rest: readonly Omit<Range, 'segment'>[];
}

/** The chunks of a segment in order. Finding one takes a binary search, releasing one costs the same at any backlog. */
export class ChunkList<C extends Chunk> {
  #entries: Entry<C>[] = [];
  /** Entries that are released and not taken out of the array yet. */
  #released = 0;

  /** Adds a chunk in its place, which mostly is behind all others. */
  push(chunk: C): void {
    this.#entries.splice(this.#positionOf(chunk.from), 0, {
      chunk,
      rest: [{ from: chunk.from, to: chunk.to }],
    });
  }

  /** The chunks that are not wholly acknowledged. */
  get chunks(): C[] {
    return this.#entries.filter(({ rest }) => rest.length > 0).map(({ chunk }) => chunk);
  }

  /** The chunk that holds an event, unless all its events are acknowledged. */
  find(index: number): C | undefined {
    const entry = this.#entries[this.#positionOf(index)];
    return entry !== undefined && entry.chunk.from <= index && entry.rest.length > 0
      ? entry.chunk
      : undefined;
  }

  /** The chunks that hold the first events of a range, side by side, as far as a reading goes: one at least, if there is one. */
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

  /** What is not acknowledged of the chunk that holds an event. */
  restOf(index: number): readonly Omit<Range, 'segment'>[] {
    return this.#entries[this.#positionOf(index)]?.rest ?? [];
  }

  /** Acknowledges events, whether they are in here or not. Returns the chunks of which every event is acknowledged now. */
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

  /** Of the first chunk that ends behind an index. */
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

/** What is read of chunks, from the start of a range: as much as there is side by side, within the limit. */
export function readChunks(
  { from, to }: Range,
  { maxEvents, maxBytes }: Limit,
  chunks: readonly Chunk[],
  /** Of each chunk its events; undefined where they are gone. */
  contents: readonly (EventBytes | undefined)[],
): EventBytes {
  const parts: EventBytes[] = [];
  const most = Math.min(to, from + maxEvents);
  let next = from;
  let room = maxBytes;
  // What was appended bit by bit is read in one go.
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
