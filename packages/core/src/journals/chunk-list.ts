import { type Range, without } from '../journal.ts';

/** Events that were appended together: indexes `from` (inclusive) to `to` (exclusive). */
export interface Chunk {
  readonly from: number;
  readonly to: number;
}

interface Entry<C extends Chunk> {
  readonly chunk: C;
  /** What of it is not acknowledged yet. */
  rest: readonly Chunk[];
}

/** The chunks of a segment in order. Finding one takes a binary search, releasing one costs the same at any backlog. */
export class ChunkList<C extends Chunk> {
  #entries: Entry<C>[] = [];
  /** Entries that are released and not taken out of the array yet. */
  #released = 0;

  /** Adds a chunk in its place, which mostly is behind all others. */
  push(chunk: C): void {
    this.#entries.splice(this.#positionOf(chunk.from), 0, { chunk, rest: [chunk] });
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

  /** What is not acknowledged of the chunk that holds an event. */
  restOf(index: number): readonly Chunk[] {
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
