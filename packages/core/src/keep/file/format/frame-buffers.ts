const LEAST_BYTES = 64 * 1024;
/** What is in use at once while several groups are written and those of the last megabyte wait for their sync. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

/** Memory for frames, used again and again. */
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

/** To a power of two, so that what is kept fits groups that are a little larger, too. What is not used takes no memory. */
function roundedUp(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(length, LEAST_BYTES)));
}
