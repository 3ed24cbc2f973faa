/** What lies in a file behind that which was read last, and is in memory already. */
export interface ReadAhead {
  /** Whose file it is. */
  readonly owner: object;
  /** Where in the file it starts. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Memory for reading, used again by the next read: large blocks that come and go cost more than what is read. */
export class ReadingBuffer {
  #spare: Buffer | undefined;
  #ahead: ReadAhead | undefined;

  /** Memory of at least this length. Whoever reads while another does gets some of their own. */
  take(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#ahead = undefined;
    return spare !== undefined && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length);
  }

  /** The memory with what was read ahead of a place in a file; undefined where that is not what was read last. */
  takeAhead(owner: object, offset: number): { buffer: Buffer; bytes: Buffer } | undefined {
    const ahead = this.#ahead;
    if (this.#spare === undefined || ahead?.owner !== owner || ahead.offset !== offset) return undefined;
    return { buffer: this.take(0), bytes: ahead.bytes };
  }

  /** @param ahead What is in it and not used yet. */
  give(buffer: Buffer, ahead?: ReadAhead): void {
    this.#spare = buffer;
    this.#ahead = ahead;
  }
}
