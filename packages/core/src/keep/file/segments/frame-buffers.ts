const LEAST_BYTES = 64 * 1024;
/** Enough for several groups in progress, and for those of the last megabyte that wait for their sync. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

/** Reusable memory for frames. */
export class FrameBuffers {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  /** Memory of at least this length. */
  take(length: number): Buffer {
    const index = this.#kept.findIndex((buffer) => buffer.length >= length);
    const [buffer] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (buffer === undefined) return Buffer.allocUnsafeSlow(roundedUp(length));
    this.#keptBytes -= buffer.length;
    return buffer;
  }

  give(buffer: Buffer): void {
    this.#keptBytes += buffer.length;
    this.#kept.push(buffer);
    while (this.#keptBytes > MOST_KEPT_BYTES) this.#keptBytes -= this.#kept.shift()?.length ?? 0;
  }
}

/**
 * Rounds up to a power of two, at least LEAST_BYTES, so that a kept buffer also fits slightly larger groups. Pages that are
 * never used take no memory.
 */
function roundedUp(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(length, LEAST_BYTES)));
}
