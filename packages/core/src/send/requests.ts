import { requestHeaders } from '@sluice/protocol';
import { type Clock, type Redact, redactor } from '@sluice/protocol/toolbox';
import type { Pass } from '../pace/pass.ts';
import { Latencies } from '../tell/latencies.ts';
import type { TrackerStats } from '../tell/stats.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Encoder } from './http/encoder.ts';
import type { Outcome, Outliving, Timeouts, Transport } from './http/transport.ts';

/** Number of keys to redact: the current key and those before it. Answers may still quote an old key. */
const KEYS_KEPT = 4;

export interface RequestsOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly timeouts: Timeouts;
  /** Makes headers that differ from parcel to parcel. */
  readonly headersOf?: ((parcel: Parcel) => Readonly<Record<string, string>>) | undefined;
  /** Left out if bodies are sent uncompressed. */
  readonly compression?: Encoder | undefined;
  /** Must keep the contract of `Transport`. */
  readonly transport: Transport;
  readonly clock: Clock;
  /**
   * Removes the key from the cause of a failed request: an HTTP library's error may have the headers, that of `fetch` has not.
   */
  readonly safeCause?: ((cause: unknown) => unknown) | undefined;
  /** Aborts the pending requests. */
  readonly signal: AbortSignal;
}

/** A request that cannot wait, with its pass. */
export interface FirstRequest {
  readonly pass: Pass;
  readonly outlives: Outliving;
}

/** Makes the requests and counts them. Nothing that it returns contains a key. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #latencies = new Latencies();
  #apiKey: string | undefined;
  #headers = requestHeaders(undefined);
  /** One for each of the last keys. */
  #redactors: Redact[] = [];
  #sent = 0;
  #retried = 0;
  #ended = 0;
  #accepted = 0;
  #bytes = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
    if (options.apiKey !== undefined) this.setApiKey(options.apiKey);
  }

  get stats(): TrackerStats['requests'] {
    return {
      sent: this.#sent,
      retried: this.#retried,
      failed: this.#ended - this.#accepted,
      bytes: this.#bytes,
      latencyMs: this.#latencies.quantiles,
    };
  }

  /** Removes the current key, and those before it, from a text. */
  redact(text: string): string {
    return this.#redactors.reduce((safe, redact) => redact(safe), text);
  }

  /** Sets the key of later requests. Returns false if they have this key already. */
  setApiKey(apiKey: string): boolean {
    if (apiKey === this.#apiKey) return false;
    this.#apiKey = apiKey;
    this.#redactors = [redactor(apiKey), ...this.#redactors].slice(0, KEYS_KEPT);
    this.#headers = requestHeaders(apiKey);
    return true;
  }

  /**
   * Sends a parcel. Never rejects, and resolves within the timeouts.
   *
   * @param isRepeated Whether the parcel was sent before.
   * @param outlives How the request outlives the page. Then it is made before this function returns, and is not compressed.
   */
  async post(parcel: Parcel, isRepeated: boolean = false, outlives?: Outliving): Promise<Outcome> {
    const { clock, compression, safeCause, signal, timeouts, transport, url } = this.#options;
    const encoded = outlives ? undefined : await compression?.encode(parcel.body);
    const sent = encoded?.body ?? parcel.body;
    this.#sent += 1;
    if (isRepeated) this.#retried += 1;
    this.#bytes += sent.length;
    const headers = this.#headersOf(parcel, encoded?.encoding);
    const start = clock.now();
    const outcome = await transport.post({ url, headers, body: sent, timeouts, signal, outlives });
    this.#latencies.add(clock.now() - start);
    this.#ended += 1;
    if (outcome.kind === 'failed')
      return safeCause ? { ...outcome, cause: safeCause(outcome.cause) } : outcome;
    // The service may quote the request in its answer.
    return { ...outcome, body: this.redact(outcome.body) };
  }

  /** Whether nothing reads the body of a request any more once the request is answered. */
  get releasesBodies(): boolean {
    return this.#options.transport.releasesBody === true && this.#options.compression === undefined;
  }

  /** Maximum size now for the body of a request that outlives the page, in bytes. */
  room(way: Outliving): number {
    return this.#options.transport.room?.(way) ?? 0;
  }

  /** The service accepted a parcel. */
  accepted(parcel: Parcel): void {
    this.#accepted += 1;
    this.#options.compression?.accepted(parcel.body);
  }

  /**
   * The service refused a parcel, or gave no answer. Returns whether gzip may be the reason. Then the parcel is sent uncompressed
   * from now on, and the answer says nothing about its events.
   */
  isEncodingAtFault(parcel: Parcel, status: number | undefined): boolean {
    return this.#options.compression?.refused(parcel.body, status) ?? false;
  }

  #headersOf(parcel: Parcel, encoding: string | undefined): Readonly<Record<string, string>> {
    const own = this.#options.headersOf?.(parcel);
    if (own === undefined && encoding === undefined) return this.#headers;
    return { ...this.#headers, ...(encoding && { 'content-encoding': encoding }), ...own };
  }
}
