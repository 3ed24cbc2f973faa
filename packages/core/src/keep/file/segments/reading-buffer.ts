/** What lies in a file behind that which was read last, and is in memory already. */
export interface ReadAhead {
  /** Whose file it is. */
  readonly owner: object;
  /** Where in the file it starts. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Memory for reading, used again: large blocks that come and go cost more than what is read. What was read last stays as it
 * is until something else was read: whoever asked for it may not have looked yet when another reads.
 */
export class ReadingBuffer {
  #last: Buffer | undefined;
  #ahead: ReadAhead | undefined;
  #spare: Buffer | undefined;

  /** Memory of at least this length. Whoever reads while another does gets some of their own. */
  take(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare !== undefined && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length);
  }

  /** The memory with what was read ahead of a place in a file; undefined where that is not what was read last. */
  takeAhead(owner: object, offset: number): { buffer: Buffer; bytes: Buffer } | undefined {
    const ahead = this.#ahead;
    const buffer = this.#last;
    if (buffer === undefined || ahead?.owner !== owner || ahead.offset !== offset) return undefined;
    this.#last = undefined;
    this.#ahead = undefined;
    return { buffer, bytes: ahead.bytes };
  }

  /** @param ahead What is in it and not used yet. */
  give(buffer: Buffer, ahead?: ReadAhead): void {
    this.#spare = this.#last ?? this.#spare;
    this.#last = buffer;
    this.#ahead = ahead;
  }
}
