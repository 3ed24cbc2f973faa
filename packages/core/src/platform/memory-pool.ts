import type { Memory } from '../wait/contents.ts';

/** Sizes are powers of two, so that the memory of one parcel fits another. */
const LEAST_BYTES = 4096;
const MOST_KEPT_BYTES = 8 * 1024 * 1024;

/** Memory that is used again: the system takes long to provide large new pieces. */
export class MemoryPool implements Memory {
  readonly #allocate: (bytes: number) => Uint8Array;
  /** By size. */
  readonly #free = new Map<number, Uint8Array[]>();
  #freeBytes = 0;

  constructor(allocate: (bytes: number) => Uint8Array) {
    this.#allocate = allocate;
  }

  take(bytes: number): Uint8Array {
    const size = Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
    const memory = this.#free.get(size)?.pop();
    if (memory === undefined) return this.#allocate(size);
    this.#freeBytes -= size;
    return memory;
  }

  give(memory: Uint8Array): void {
    const { length } = memory;
    if (this.#freeBytes + length > MOST_KEPT_BYTES) return;
    this.#freeBytes += length;
    const free = this.#free.get(length);
    if (free) free.push(memory);
    else this.#free.set(length, [memory]);
  }
}
