import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type BodySource, Refusal } from '../exchange.ts';

const inflate = promisify(gunzip);
/** What a request takes besides its body, in bytes. */
const OVERHEAD_BYTES = 1_024;
/** So many bodies are inflated at once: each may take `maxBodyBytes` before anybody knows how large it is. */
const MOST_INFLATING = 4;

interface BodiesOptions {
  readonly maxBodyBytes: number;
  /** Bound of all bodies in memory. */
  readonly maxPendingBytes: number;
}

/** The memory of one request. */
interface Memory {
  hold(bytes: number): void;
  release(): void;
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
  #inflating = 0;
  /** Bodies that wait to be inflated: each call lets one of them begin. */
  readonly #queue = new Set<() => void>();

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
    const memory: Memory = {
      hold: (bytes) => {
        held += bytes;
        this.#bytes += bytes;
      },
      release: () => memory.hold(-held),
    };
    try {
      const body = await this.#read(source, memory);
      if (!isGzip) return await use(body);
      const inflated = await this.#inflate(body);
      memory.hold(inflated.length);
      // As many small bodies can be read at once as it takes to fill all memory when they are inflated.
      if (this.#bytes > this.#options.maxPendingBytes) throw new Refusal('busy');
      return await use(inflated);
    } finally {
      memory.release();
    }
  }

  #read(source: BodySource, { hold, release }: Memory): Promise<Buffer> {
    const { maxBodyBytes } = this.#options;
    return new Promise((resolve, reject) => {
      /** The first `length` bytes are the body. To keep each chunk would take 200 bytes for a chunk of one byte. */
      let room: Buffer = Buffer.alloc(0);
      let length = 0;
      let isOver = false;
      const end = (refusal?: Refusal) => {
        if (isOver) return;
        isOver = true;
        this.#readings.delete(reading);
        if (refusal) reject(refusal);
        else resolve(room.subarray(0, length));
      };
      const stop = (refusal: Refusal) => {
        source.stop();
        // At once: others make room until there is enough.
        release();
        end(refusal);
      };
      const reading: Reading = { giveUp: () => stop(new Refusal('busy')) };
      this.#readings.add(reading);
      hold(OVERHEAD_BYTES);
      source.read(
        (chunk) => {
          if (isOver) return;
          const from = length;
          length += chunk.length;
          if (length > maxBodyBytes) {
            stop(new Refusal('too_large'));
            return;
          }
          if (length > room.length) {
            const before = room;
            room = from === 0 ? bufferOf(chunk) : grown(before, Math.min(2 * length, maxBodyBytes));
            hold(room.length - before.length);
          }
          if (from > 0) room.set(chunk, from);
          this.#makeRoom();
        },
        (error) => end(error === undefined ? undefined : new Refusal('too_slow')),
      );
    });
  }

  /** Gives up the oldest ones, until the others fit. */
  #makeRoom(): void {
    for (const reading of this.#readings) {
      if (this.#bytes <= this.#options.maxPendingBytes) return;
      reading.giveUp();
    }
  }

  async #inflate(body: Buffer): Promise<Buffer> {
    if (this.#inflating < MOST_INFLATING) this.#inflating += 1;
    else await new Promise<void>((resolve) => this.#queue.add(resolve));
    try {
      return await inflate(body, { maxOutputLength: this.#options.maxBodyBytes });
    } catch (error) {
      const isBomb = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw new Refusal(isBomb ? 'too_large' : 'malformed');
    } finally {
      const [next] = this.#queue;
      if (next) {
        this.#queue.delete(next);
        next();
      } else this.#inflating -= 1;
    }
  }
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function grown(before: Buffer, bytes: number): Buffer {
  const after = Buffer.allocUnsafe(bytes);
  after.set(before);
  return after;
}
