import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type BodySource, Refusal } from '../exchange.ts';

const inflate = promisify(gunzip);
/** What a request takes besides its body, in bytes. */
const OVERHEAD_BYTES = 1_024;

interface BodiesOptions {
  readonly maxBodyBytes: number;
  /** Bound of all bodies in memory. */
  readonly maxPendingBytes: number;
}

/** A body that is being read. */
interface Reading {
  giveUp(): void;
}

/** Reads bodies into bounded memory. What a header says about the length does not count. */
export class Bodies {
  readonly #options: BodiesOptions;
  #bytes = 0;
  /** The oldest first. */
  readonly #readings = new Set<Reading>();

  constructor(options: BodiesOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Calls `use` with the whole body, inflated. The memory counts until the result settles. If there is too little memory, the
   * body that is being read for the longest time is given up: those who send slowly on purpose must not hold up the others.
   */
  async with<Result>(
    source: BodySource,
    isGzip: boolean,
    use: (body: Buffer) => Promise<Result>,
  ): Promise<Result> {
    let held = 0;
    const hold = (bytes: number) => {
      held += bytes;
      this.#bytes += bytes;
    };
    try {
      const body = await this.#read(source, hold);
      if (!isGzip) return await use(body);
      const inflated = await this.#inflate(body);
      hold(inflated.length);
      // As many small bodies can be read at once as it takes to fill all memory when they are inflated.
      if (this.#bytes > this.#options.maxPendingBytes) throw new Refusal('busy');
      return await use(inflated);
    } finally {
      this.#bytes -= held;
    }
  }

  #read(source: BodySource, hold: (bytes: number) => void): Promise<Buffer> {
    const { maxBodyBytes, maxPendingBytes } = this.#options;
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      let isOver = false;
      const end = (refusal?: Refusal) => {
        if (isOver) return;
        isOver = true;
        this.#readings.delete(reading);
        const [first] = chunks;
        if (refusal) reject(refusal);
        else resolve(chunks.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(chunks));
      };
      const stop = (refusal: Refusal) => {
        if (!isOver) source.stop();
        end(refusal);
      };
      const reading: Reading = { giveUp: () => stop(new Refusal('busy')) };
      this.#readings.add(reading);
      hold(OVERHEAD_BYTES);
      source.read(
        (chunk) => {
          if (isOver) return;
          length += chunk.length;
          if (length > maxBodyBytes) {
            stop(new Refusal('too_large'));
            return;
          }
          chunks.push(chunk);
          hold(chunk.length);
          if (this.#bytes > maxPendingBytes) this.#giveUpOldest();
        },
        (error) => end(error === undefined ? undefined : new Refusal('too_slow')),
      );
    });
  }

  #giveUpOldest(): void {
    for (const reading of this.#readings) {
      reading.giveUp();
      return;
    }
  }

  async #inflate(body: Buffer): Promise<Buffer> {
    try {
      return await inflate(body, { maxOutputLength: this.#options.maxBodyBytes });
    } catch (error) {
      const isBomb = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw new Refusal(isBomb ? 'too_large' : 'malformed');
    }
  }
}
