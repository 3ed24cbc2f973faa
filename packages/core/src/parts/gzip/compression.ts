import { type Clock, inTime } from '../../base/clock.ts';
import type { Encoded, Encoder } from '../../send/http/encoder.ts';

/** Gzip: on other threads in Node; elsewhere in slices, so that this thread is never busy for long. */
export interface Gzip {
  compress(body: Uint8Array): Promise<Uint8Array>;
  /** Whether that is what the body was compressed to. May reject where it is not. */
  matches(packed: Uint8Array, body: Uint8Array): Promise<boolean>;
}

/** Shorter bodies fit into one packet as they are. */
const LEAST_BYTES = 1024;
/** A healthy one takes milliseconds. */
const MAX_MS = 5_000;
/** Failures, of gzip or of the service with it, after which all goes plain. */
const MOST_FAILURES = 3;

/**
 * Gzips bodies as long as that works. Each is compressed once: what is sent again has the same bytes, unless the service
 * may have stumbled over gzip. What is compressed is unpacked again and compared before it counts: that takes half as long as
 * compressing (in Node 1.3 ms of another thread for 512 KiB), and a checksum alone would not say that the service can unpack it.
 */
export class Compression implements Encoder {
  readonly #gzip: Gzip;
  readonly #clock: Clock;
  /** How a body goes, once that is known: plain also where the service did not take it gzipped. */
  readonly #encoded = new WeakMap<Uint8Array, Promise<Encoded>>();
  /** How it went last. */
  readonly #sent = new WeakMap<Uint8Array, Encoded>();
  #failures = 0;
  /** Whether the service has taken a gzipped body. */
  #isProven = false;
  /** Whether the service took the last body, and that was plain. */
  #takesPlain = false;

  constructor(gzip: Gzip, clock: Clock) {
    this.#gzip = gzip;
    this.#clock = clock;
  }

  /** The body as it is to be sent; plain where gzip fails, hangs, errs or makes it no smaller. Never rejects. */
  async encode(body: Uint8Array): Promise<Encoded> {
    const isPlain = this.#failures >= MOST_FAILURES || body.length < LEAST_BYTES;
    const packing = isPlain ? plain(body) : (this.#encoded.get(body) ?? this.#pack(body));
    if (!isPlain) this.#encoded.set(body, packing);
    const encoded = await packing;
    this.#sent.set(body, encoded);
    return encoded;
  }

  /** The service took a body, if it was ever given to `encode`. */
  accepted(body: Uint8Array): void {
    const sent = this.#sent.get(body);
    if (sent === undefined) return;
    this.#takesPlain = sent.encoding === undefined;
    if (this.#takesPlain) return;
    this.#isProven = true;
    this.#failures = 0;
  }

  /**
   * The service refused a body, or no answer came. Returns whether gzip may be why: then the body goes plain from now on, and
   * nothing is to be concluded about its events. A server that knows no gzip answers 415, or 400 as to any nonsense, and a
   * browser tells nothing where another origin does not allow the header. Once a gzipped body was taken, only 415 blames gzip.
   */
  refused(body: Uint8Array, status: number | undefined): boolean {
    const sent = this.#sent.get(body);
    if (sent === undefined) return false;
    const tookPlain = this.#takesPlain;
    if (status === undefined) this.#takesPlain = false;
    if (sent.encoding === undefined || (this.#isProven && status !== 415)) return false;
    this.#encoded.set(body, plain(body));
    // Where nothing is taken at all, that is no failure of gzip.
    if (tookPlain) this.#failures += 1;
    if (status === 415) this.#failures = Number.POSITIVE_INFINITY;
    this.#takesPlain = false;
    return true;
  }

  async #pack(body: Uint8Array): Promise<Encoded> {
    let packed: Uint8Array | undefined;
    try {
      packed = await inTime(this.#clock, this.#tryToPack(body), MAX_MS, () => new Error('gzip hangs'));
    } catch {
      this.#failures += 1;
    }
    return packed === undefined ? plain(body) : { body: packed, encoding: 'gzip' };
  }

  /** Undefined where there is nothing to gain. */
  async #tryToPack(body: Uint8Array): Promise<Uint8Array | undefined> {
    const packed = await this.#gzip.compress(body);
    if (packed.length >= body.length) return undefined;
    if (await this.#gzip.matches(packed, body)) return packed;
    throw new Error('gzip made something else of a body');
  }
}

async function plain(body: Uint8Array): Promise<Encoded> {
  return { body, encoding: undefined };
}
