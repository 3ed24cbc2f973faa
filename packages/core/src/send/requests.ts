import { type Redact, redactor, requestHeaders } from '@sluice/protocol';
import type { Clock } from '../base/clock.ts';
import { Latencies } from '../tell/latencies.ts';
import type { TrackerStats } from '../tell/stats.ts';
import type { Batch } from '../wait/batch.ts';
import type { Encoder } from './http/encoder.ts';
import type { Outcome, Outliving, Timeouts, Transport } from './http/transport.ts';

/** Keys that answers may still quote: the present one, and those that it followed of late. */
const KEYS_KEPT = 4;

export interface RequestsOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly timeouts: Timeouts;
  /** Makes headers that one batch has and others have not. */
  readonly headersOf?: ((batch: Batch) => Readonly<Record<string, string>>) | undefined;
  /** Left out where bodies go as they are. */
  readonly compression?: Encoder | undefined;
  /** One that keeps its word. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** Takes the key out of why a request failed: an HTTP library's error may have the headers. That of `fetch` has not. */
  readonly safeCause?: ((cause: unknown) => unknown) | undefined;
  /** Aborts the requests that are under way. */
  readonly signal: AbortSignal;
}

/** Makes the requests, and keeps account of them. What it hands on shows no key. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #latencies = new Latencies();
  #apiKey: string | undefined;
  #headers = requestHeaders(undefined);
  /** For each of the last keys. */
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

  /** Takes the key, and those before it, out of a text. */
  redact(text: string): string {
    return this.#redactors.reduce((safe, redact) => redact(safe), text);
  }

  /** Later requests carry this key. False where they do already. */
  setApiKey(apiKey: string): boolean {
    if (apiKey === this.#apiKey) return false;
    this.#apiKey = apiKey;
    this.#redactors = [redactor(apiKey), ...this.#redactors].slice(0, KEYS_KEPT);
    this.#headers = requestHeaders(apiKey);
    return true;
  }

  /**
   * Sends a batch. Never rejects, and resolves within the time-outs.
   *
   * @param isRepeated Whether it was sent before.
   * @param outlives How the request outlives the page: then it is made before this returns, as it is.
   */
  async post(batch: Batch, isRepeated: boolean = false, outlives?: Outliving): Promise<Outcome> {
    const { clock, compression, safeCause, signal, timeouts, transport, url } = this.#options;
    const encoded = outlives ? undefined : await compression?.encode(batch.body);
    const sent = encoded?.body ?? batch.body;
    this.#sent += 1;
    if (isRepeated) this.#retried += 1;
    this.#bytes += sent.length;
    const headers = this.#headersOf(batch, encoded?.encoding);
    const start = clock.now();
    const outcome = await transport.post({ url, headers, body: sent, timeouts, signal, outlives });
    this.#latencies.add(clock.now() - start);
    this.#ended += 1;
    if (outcome.kind === 'failed')
      return safeCause ? { ...outcome, cause: safeCause(outcome.cause) } : outcome;
    // A service may quote its request.
    return { ...outcome, body: this.redact(outcome.body) };
  }

  /** Whether nobody reads the body of a request any more that was answered. */
  get releasesBodies(): boolean {
    return this.#options.transport.releasesBody === true && this.#options.compression === undefined;
  }

  /** How many bytes the body of a request that outlives the page may have now. */
  room(way: Outliving): number {
    return this.#options.transport.room?.(way) ?? 0;
  }

  /** The service took a batch. */
  accepted(batch: Batch): void {
    this.#accepted += 1;
    this.#options.compression?.accepted(batch.body);
  }

  /**
   * The service refused a batch, or gave no answer. Returns whether it may be that it does not know gzip: then the batch is
   * sent as it is from now on, and nothing is to be concluded about its events.
   */
  isEncodingAtFault(batch: Batch, status: number | undefined): boolean {
    return this.#options.compression?.refused(batch.body, status) ?? false;
  }

  #headersOf(batch: Batch, encoding: string | undefined): Readonly<Record<string, string>> {
    const own = this.#options.headersOf?.(batch);
    if (own === undefined && encoding === undefined) return this.#headers;
    return { ...this.#headers, ...(encoding && { 'content-encoding': encoding }), ...own };
  }
}
