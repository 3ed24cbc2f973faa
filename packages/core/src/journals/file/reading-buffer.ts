/** Memory for reading, used again by the next read: large blocks that come and go cost more than what is read. */
export class ReadingBuffer {
  #spare: Buffer | undefined;

  /** Memory of at least this length. Whoever reads while another does gets some of their own. */
  take(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare !== undefined && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length);
  }

  give(buffer: Buffer): void {
    this.#spare = buffer;
  }
}
