import { type Clock, inTime } from '@sluice/protocol/toolbox';
import { type Encoder, isIntercepted, type Outcome } from '../../send/http/transport.ts';

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
/** Bytes that are compressed, or unpacked and compared, before other tasks get a turn. Unpacking makes several times as many. */
const SLICE_BYTES = 16 * 1024;
const PACKED_SLICE_BYTES = 4 * 1024;
/** Answers that refuse a request for good. After others it is sent again anyway. */
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
  /** Each body as it is sent gzipped; undefined if it is sent plain. */
  readonly #packed = new WeakMap<Uint8Array, Promise<Uint8Array | undefined>>();
  #failures = 0;
  /** Whether the service has accepted a gzipped body. */
  #isProven = false;
  /** Whether the service accepted the last body, and that body was plain. */
  #takesPlain = false;

  constructor(gzip: Gzip, clock: Clock) {
    this.#gzip = gzip;
    this.#clock = clock;
  }

  /**
   * Makes a request with a body: plain if gzip fails, hangs, gives a wrong result or makes it no smaller. If gzip may be why it was not
   * accepted, the body goes plain from now on, at once where the service refused it: then that answer says nothing about its events. A
   * server that does not know gzip answers 415, or 400 as to any invalid body. A browser gives no reason if another origin does not
   * allow the header. Once the service has accepted a gzipped body, only 415 blames gzip.
   */
  async post(body: Uint8Array, ask: Parameters<Encoder['post']>[1]): Promise<Outcome> {
    let packing: Promise<Uint8Array | undefined> | undefined;
    if (this.#failures < MOST_FAILURES && body.length >= LEAST_BYTES) {
      packing = this.#packed.get(body) ?? this.#pack(body);
      this.#packed.set(body, packing);
    }
    const packed = await packing;
    const outcome = await (packed ? ask(packed, 'gzip') : ask(body));
    const isAnswered = outcome.kind === 'answered';
    const status = isAnswered ? outcome.status : 0;
    const tookPlain = this.#takesPlain;
    const isAccepted = status >= 200 && status < 300;
    // The answer is not the service's.
    if (isAnswered && isAccepted && isIntercepted(outcome)) return outcome;
    if (isAccepted || !isAnswered) this.#takesPlain = isAccepted && !packed;
    if (isAccepted && packed) {
      this.#isProven = true;
      this.#failures = 0;
    }
    if (isAccepted || !packed || (this.#isProven && status !== 415)) return outcome;
    this.#packed.set(body, Promise.resolve(undefined));
    // If the service accepts nothing at all, that is no failure of gzip.
    if (tookPlain) this.#failures += 1;
    if (status === 415) this.#failures = Number.POSITIVE_INFINITY;
    this.#takesPlain = false;
    return REFUSED.test(`${status}`) ? this.post(body, ask) : outcome;
  }

  /** Resolves to undefined if the body is to be sent plain. */
  async #pack(body: Uint8Array): Promise<Uint8Array | undefined> {
    const pack = async () => {
      const packed = await this.#gzip.compress(body);
      if (packed.length >= body.length) return undefined;
      if (await this.#gzip.matches(packed, body)) return packed;
      throw new Error('gzip made something else of a body');
    };
    try {
      return await inTime(this.#clock, pack(), MAX_MS, () => new Error('gzip hangs'));
    } catch {
      this.#failures += 1;
      return undefined;
    }
  }
}

/** Older browsers do not have these streams: there, creating one throws. */
export const streamGzip: Gzip = {
  compress: async (body) => {
    const packed = slices(body, SLICE_BYTES).pipeThrough(new CompressionStream('gzip'));
    return new Uint8Array(await new Response(packed).arrayBuffer());
  },
  matches: async (packed, body) => {
    let at = 0;
    const compare = new WritableStream<Uint8Array>({
      write(chunk) {
        for (const byte of chunk) if (byte !== body[at++]) throw new Error('it differs');
      },
    });
    await slices(packed, PACKED_SLICE_BYTES).pipeThrough(new DecompressionStream('gzip')).pipeTo(compare);
    return at === body.length;
  },
};

/** These streams work on this thread, on all their bytes at once. So they get slices, and each slice is read in its own task. */
function slices(bytes: Uint8Array, sliceBytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at >= blob.size) return controller.close();
      const slice = blob.slice(at, at + sliceBytes);
      at += sliceBytes;
      controller.enqueue(new Uint8Array(await slice.arrayBuffer()));
    },
  });
}
