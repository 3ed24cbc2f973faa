const FIRST_BYTES = 256;

/** The bytes of a file. Bytes that a write skipped, or that were cut off, read as zeros. */
export class Content {
  #bytes = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Valid until the next change. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.#bytes.length, FIRST_BYTES));
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, position);
    this.#size = Math.max(this.#size, end);
  }

  truncate(size: number): void {
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    else this.write(new Uint8Array(0), size);
    this.#size = size;
  }
}
