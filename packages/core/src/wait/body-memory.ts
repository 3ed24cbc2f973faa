/** Bodies of one workload differ a little in size, and should fit into the memory of each other. */
const STEP_BYTES = 64 * 1024;
/** A few more than are on their way at once by default, none of them larger than most batches. */
const MOST_KEPT = 6;
const MOST_KEPT_BYTES = 1024 * 1024;

/** Memory for batch bodies. */
export interface Bodies {
  /** Memory of at least this length. */
  take(bytes: number): Uint8Array;
  /** Nobody looks at what is in it any more. */
  give(memory: Uint8Array): void;
}

/** Memory for batch bodies, used again: large pieces that come and go cost more than what is written to them. */
export class BodyMemory implements Bodies {
  readonly #allocate: (bytes: number) => Uint8Array;
  readonly #free: Uint8Array[] = [];

  constructor(allocate: (bytes: number) => Uint8Array) {
    this.#allocate = allocate;
  }

  take(bytes: number): Uint8Array {
    const memory = this.#free.pop();
    if (memory !== undefined && memory.length >= bytes) return memory;
    return this.#allocate(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES);
  }

  give(memory: Uint8Array): void {
    if (this.#free.length < MOST_KEPT && memory.length <= MOST_KEPT_BYTES) this.#free.push(memory);
  }
}
