const LEAST_BYTES = 64 * 1024;
/** As many as are in use at once while one group is written and another is synced; more come and go. */
const MOST_KEPT = 4;

/** Memory for frames, used again and again. */
export class FrameBuffers {
  readonly #kept: Buffer[] = [];

  /** Memory of at least this length. */
  take(length: number): Buffer {
    const index = this.#kept.findIndex((buffer) => buffer.length >= length);
    const [buffer] = index < 0 ? [] : this.#kept.splice(index, 1);
    return buffer ?? Buffer.allocUnsafeSlow(Math.max(length, LEAST_BYTES));
  }

  give(buffer: Buffer): void {
    if (this.#kept.length === MOST_KEPT) this.#kept.shift();
    this.#kept.push(buffer);
  }
}
