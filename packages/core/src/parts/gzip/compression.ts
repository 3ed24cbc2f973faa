import { type Clock, inTime } from '@sluice/protocol/toolbox';
import type { Encoded, Encoder } from '../../send/http/encoder.ts';
import { isIntercepted } from '../../send/http/interception.ts';
import type { Outcome } from '../../send/http/transport.ts';

/** Gzip. In Node it runs on other threads. Elsewhere it works in slices, so that this thread is never busy for long. */
export interface Gzip {
  compress(body: Uint8Array): Promise<Uint8Array>;
  /** Whether `packed` is the compressed form of `body`. May reject if it is not. */
  matches(packed: Uint8Array, body: Uint8Array): Promise<boolean>;
}

/** Shorter bodies are sent plain: they fit into one packet as they are. */
const LEAST_BYTES = 1024;
/** Longest time for one body. Normally it takes milliseconds. */
const MAX_MS = 5_000;
/** Answers that find fault with a request. After others it is sent again anyway. */
const REFUSED = /^4(?!08|25|29)/;
/** After this many failures, of gzip itself or of the service with it, all bodies are sent plain. */
const MOST_FAILURES = 3;

/**
 * Gzips bodies as long as that works. Each body is compressed once, so a retry sends the same bytes, unless gzip may be why the
 * service failed. Each result is unpacked and compared before it is used. That takes half as long as compressing (for 512 KiB
 * in Node: 1.3 ms on another thread), and a checksum alone would not prove that the service can unpack it.
 */
export class Compression implements Encoder {
  readonly #gzip: Gzip;
  readonly #clock: Clock;
  /** How each body is sent, once that is known. Plain also if the service did not accept it gzipped. */
  readonly #encoded = new WeakMap<Uint8Array, Promise<Encoded>>();
  /** How each body was last sent. */
  readonly #sent = new WeakMap<Uint8Array, Encoded>();
  #failures = 0;
  /** Whether the service has accepted a gzipped body. */
  #isProven = false;
  /** Whether the service accepted the last body, and that body was plain. */
  #takesPlain = false;

  constructor(gzip: Gzip, clock: Clock) {
    this.#gzip = gzip;
    this.#clock = clock;
  }

  /** Returns the body to send: plain if gzip fails, hangs, gives a wrong result or makes it no smaller. Never rejects. */
  async encode(body: Uint8Array): Promise<Encoded> {
    const isPlain = this.#failures >= MOST_FAILURES || body.length < LEAST_BYTES;
    const packing = isPlain ? plain(body) : (this.#encoded.get(body) ?? this.#pack(body));
    if (!isPlain) this.#encoded.set(body, packing);
    const encoded = await packing;
    this.#sent.set(body, encoded);
    return encoded;
  }

  /** The service accepted a body. Bodies that were never given to `encode` are ignored. */
  accepted(body: Uint8Array): void {
    const sent = this.#sent.get(body);
    if (sent === undefined) return;
    this.#takesPlain = sent.encoding === undefined;
    if (this.#takesPlain) return;
    this.#isProven = true;
    this.#failures = 0;
  }

  /**
   * The service refused a body, or no answer came. Returns whether gzip may be the reason. Then the body goes plain from now
   * on, and the answer says nothing about its events. A server that does not know gzip answers 415, or 400 as to any invalid
   * body. A browser gives no reason if another origin does not allow the header. Once the service has accepted a gzipped body,
   * only 415 blames gzip.
   */
  refused(body: Uint8Array, status: number | undefined): boolean {
    const sent = this.#sent.get(body);
    if (sent === undefined) return false;
    const tookPlain = this.#takesPlain;
    if (status === undefined) this.#takesPlain = false;
    if (sent.encoding === undefined || (this.#isProven && status !== 415)) return false;
    this.#encoded.set(body, plain(body));
    // If the service accepts nothing at all, that is no failure of gzip.
    if (tookPlain) this.#failures += 1;
    if (status === 415) this.#failures = Number.POSITIVE_INFINITY;
    this.#takesPlain = false;
    return true;
  }

  async post(body: Uint8Array, ask: Parameters<Encoder['post']>[1]): Promise<Outcome> {
    const encoded = await this.encode(body);
    const outcome = await ask(encoded.body, encoded.encoding);
    const status = outcome.kind === 'answered' ? outcome.status : undefined;
    if (outcome.kind === 'answered' && /^2/.test(`${status}`) && !isIntercepted(outcome)) this.accepted(body);
    else if (this.refused(body, status) && REFUSED.test(`${status}`)) return ask(body);
    return outcome;
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

  /** Returns undefined if gzip makes the body no smaller. */
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
