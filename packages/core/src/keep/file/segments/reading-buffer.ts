/** The bytes of a file after the last read that are already in memory. */
interface ReadAhead {
  /** The reader of the file. */
  readonly owner: object;
  /** Where in the file the bytes start. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Reusable memory for reads: to allocate large blocks again and again costs more than the reads. The result of the last read
 * stays unchanged until another read has ended: when that one starts, the first caller may not have used its result yet.
 */
export class ReadingBuffer {
  #last: Buffer | undefined;
  #ahead: ReadAhead | undefined;
  #spare: Buffer | undefined;

  /** Memory of at least this length. A concurrent read gets its own. */
  take(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare !== undefined && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length);
  }

  /** The last buffer, with its bytes that were read ahead, from this offset of this owner's file on. Undefined if there are none. */
  takeAhead(owner: object, offset: number): { buffer: Buffer; bytes: Buffer } | undefined {
    const ahead = this.#ahead;
    const buffer = this.#last;
    if (buffer === undefined || ahead?.owner !== owner) return undefined;
    const skipped = offset - ahead.offset;
    if (skipped < 0 || skipped >= ahead.bytes.length) return undefined;
    this.#last = undefined;
    this.#ahead = undefined;
    return { buffer, bytes: ahead.bytes.subarray(skipped) };
  }

  /** @param ahead The bytes in the buffer that are not used yet. */
  give(buffer: Buffer, ahead?: ReadAhead): void {
    this.#spare = this.#last ?? this.#spare;
    this.#last = buffer;
    this.#ahead = ahead;
  }
}
