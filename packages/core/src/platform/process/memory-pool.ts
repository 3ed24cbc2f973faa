import type { Memory } from '../../wait/contents.ts';

const LEAST_BYTES = 256;
/** Number of sizes between two powers of two: few, so that the memory of one parcel fits another. */
const STEPS = 4;
const MOST_KEPT_BYTES = 8 * 1024 * 1024;

/** Memory that is used again: the system is slow to provide large new pieces. */
export class MemoryPool implements Memory {
  readonly #allocate: (bytes: number) => Uint8Array;
  /** By size. */
  readonly #free = new Map<number, Uint8Array[]>();
  #freeBytes = 0;

  constructor(allocate: (bytes: number) => Uint8Array) {
    this.#allocate = allocate;
  }

  take(bytes: number): Uint8Array {
    const step = 2 ** Math.floor(Math.log2(Math.max(LEAST_BYTES, bytes))) / STEPS;
    const size = Math.ceil(bytes / step) * step;
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
