import { EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import type { Clock, Redact } from '@sluice/protocol/toolbox';
import { Latencies } from '../tell/latencies.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { TrackerStats } from '../tell/stats.ts';
import type { Batch, Parcel } from '../wait/parcel.ts';
import type { Encoder, Outcome, Timeouts, Transport } from './http/transport.ts';

/** Number of keys to redact: the current key and those before it. Answers may still quote an old key. */
const KEYS_KEPT = 4;
/** A header of the user may be a secret if its value is as long. */
const SECRET_LENGTH = 8;

/** Where requests go, and what is in them. */
export interface Destination {
  /** What follows the base URL. */
  readonly path: string;
  readonly headers: (apiKey: string | undefined) => Readonly<Record<string, string>>;
  /** The same bytes for each request of a parcel. */
  readonly body: (parcel: Batch) => Uint8Array;
}

/** The service of the interface. */
export const SERVICE: Destination = { path: EVENTS_PATH, headers: requestHeaders, body: ({ body }) => body };

export interface RequestsOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly destination: Omit<Destination, 'path'>;
  /** More headers of each request. */
  readonly headers: Readonly<Record<string, string>>;
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
  readonly reporter: Pick<Reporter, 'emit'>;
  /** Makes a function that removes a secret from texts. */
  readonly redactor: (secret: string) => Redact;
  /** Aborts the pending requests. */
  readonly signal: AbortSignal;
}

/** Makes the requests and counts them. Nothing that it returns contains a key. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #latencies = new Latencies();
  #apiKey: string | undefined;
  #headers: Readonly<Record<string, string>>;
  /** One for each of the last keys. */
  #redactors: readonly Redact[] = [];
  /** One for each header that may be a secret. */
  readonly #headerRedactors: readonly Redact[];
  #sent = 0;
  #retried = 0;
  #ended = 0;
  #accepted = 0;
  #bytes = 0;

  constructor(options: RequestsOptions) {
    const { apiKey, headers, redactor } = options;
    this.#options = options;
    this.#headerRedactors = Object.values(headers)
      .filter((value) => value.length >= SECRET_LENGTH)
      .map(redactor);
    this.#headers = this.#headersFor(apiKey);
    if (apiKey !== undefined) this.setApiKey(apiKey);
  }

  get url(): string {
    return this.#options.url;
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

  /** Removes the current key, those before it, and the long headers of the user from a text. */
  redact(text: string): string {
    return [...this.#redactors, ...this.#headerRedactors].reduce((safe, redact) => redact(safe), text);
  }

  /** Sets the key of later requests. Returns false if they have this key already. */
  setApiKey(apiKey: string): boolean {
    if (apiKey === this.#apiKey) return false;
    this.#apiKey = apiKey;
    this.#redactors = [this.#options.redactor(apiKey), ...this.#redactors].slice(0, KEYS_KEPT);
    this.#headers = this.#headersFor(apiKey);
    return true;
  }

  /**
   * Sends a parcel. Never rejects, and resolves within the timeouts.
   *
   * @param isRepeated Whether the parcel was sent before.
   */
  async post(parcel: Parcel, isRepeated: boolean = false): Promise<Outcome> {
    const { compression, destination, headersOf, safeCause } = this.#options;
    if (isRepeated) this.#retried += 1;
    const own = headersOf?.(parcel);
    const ask = (body: Uint8Array, encoding?: string) =>
      this.#ask(
        body,
        own || encoding
          ? { ...this.#headers, ...(encoding && { 'content-encoding': encoding }), ...own }
          : this.#headers,
      );
    const body = destination.body(parcel);
    const outcome = await (compression?.post(body, ask) ?? ask(body));
    if (outcome.kind === 'failed')
      return safeCause ? { ...outcome, cause: safeCause(outcome.cause) } : outcome;
    // The service may quote the request in its answer.
    const { location } = outcome;
    return { ...outcome, body: this.redact(outcome.body), location: location && this.redact(location) };
  }

  /** Whether nothing reads the body of a request any more once the request is answered. */
  get releasesBodies(): boolean {
    return this.#options.transport.releasesBody === true && !this.#options.compression;
  }

  /** The service accepted a parcel. */
  accepted(): void {
    this.#accepted += 1;
  }

  async #ask(body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Outcome> {
    const { clock, reporter, signal, timeouts, transport, url } = this.#options;
    this.#sent += 1;
    this.#bytes += body.length;
    const start = clock.now();
    const outcome = await transport.post({ url, headers, body, timeouts, signal });
    this.#ended += 1;
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    const durationMs = Math.max(0, clock.now() - start);
    this.#latencies.add(durationMs);
    reporter.emit('request', { url, status, durationMs });
    return outcome;
  }

  #headersFor(apiKey?: string): Readonly<Record<string, string>> {
    const { destination, headers } = this.#options;
    return { ...headers, ...destination.headers(apiKey) };
  }
}
