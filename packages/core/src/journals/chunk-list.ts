import type { Range } from '../journal.ts';

/** Events that were appended together: indexes `from` (inclusive) to `to` (exclusive). */
export interface Chunk {
  readonly from: number;
  readonly to: number;
}

interface Entry<C extends Chunk> {
  readonly chunk: C;
  /** Events not acknowledged yet. */
  waiting: number;
}

/** The chunks of a segment in order. Finding one takes a binary search, releasing one costs the same at any backlog. */
export class ChunkList<C extends Chunk> {
  #entries: Entry<C>[] = [];
  /** Entries that are released and not taken out of the array yet. */
  #released = 0;

  /** Adds a chunk behind all others. */
  push(chunk: C): void {
    this.#entries.push({ chunk, waiting: chunk.to - chunk.from });
  }

  /** The chunk that holds an event, unless all its events are acknowledged. */
  find(index: number): C | undefined {
    return this.#entryOf(index)?.chunk;
  }

  /** Acknowledges events. Returns the chunks of which every event is acknowledged now. */
  acknowledge(range: Range): C[] {
    const done: C[] = [];
    for (let index = range.from; index < range.to; ) {
      const entry = this.#entryOf(index);
      if (entry === undefined) break;
      const end = Math.min(range.to, entry.chunk.to);
      entry.waiting -= end - index;
      if (entry.waiting <= 0) done.push(entry.chunk);
      index = end;
    }
    this.#released += done.length;
    if (this.#released * 2 > this.#entries.length) {
      this.#entries = this.#entries.filter((entry) => entry.waiting > 0);
      this.#released = 0;
    }
    return done;
  }

  #entryOf(index: number): Entry<C> | undefined {
    let low = 0;
    let high = this.#entries.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry === undefined) return undefined;
      if (index < entry.chunk.from) high = middle - 1;
      else if (index >= entry.chunk.to) low = middle + 1;
      else return entry.waiting > 0 ? entry : undefined;
    }
    return undefined;
  }
}
