import { type Redact, redactor, requestHeaders } from '@sluice/protocol';
import type { Batch } from './batch.ts';
import { batchId } from './batch-id.ts';
import { abortAfter, type Clock, type Timer } from './clock.ts';
import type { Compression, Encoded } from './compression.ts';
import { Latencies } from './latencies.ts';
import { nonsense } from './nonsense.ts';
import { redactedOutcome } from './redaction.ts';
import type { TrackerStats } from './stats.ts';
import type { Outcome, Timeouts, Transport } from './transport.ts';

/** A transport that gives no outcome so long after its time is not waited for. */
const GRACE_MS = 5_000;
/** Nor one that does not end so long after it was told to. */
const STOP_MS = 1_000;
/** Keys that answers may still quote: the present one, and those that it followed of late. */
const KEYS_KEPT = 4;

export interface RequestsOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly timeouts: Timeouts;
  readonly idempotencyHeader: string | undefined;
  /** Left out where bodies go as they are. */
  readonly compression?: Compression | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Aborts the requests that are under way. */
  readonly signal: AbortSignal;
}

/** Makes the requests, and keeps account of them. What it hands on shows no key. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #latencies = new Latencies();
  /** Ids of batches that were sent, for as long as these are. */
  readonly #ids = new WeakMap<Batch, string>();
  /** How batches were sent last. */
  readonly #encoded = new WeakMap<Batch, Encoded>();
  #apiKey: string | undefined;
  #headers: Readonly<Record<string, string>>;
  /** For each of the last keys. */
  #redactors: Redact[] = [];
  #sent = 0;
  #retried = 0;
  #ended = 0;
  #accepted = 0;
  #bytes = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#apiKey = options.apiKey;
    this.#headers = requestHeaders(options.apiKey);
    if (options.apiKey !== undefined) this.#redactors = [redactor(options.apiKey)];
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

  /** Sends a batch. Never rejects, and resolves within the time-outs whatever the transport does. */
  async post(batch: Batch): Promise<Outcome> {
    const { clock, compression } = this.#options;
    const encoded = (await compression?.encode(batch.body)) ?? { body: batch.body, encoding: undefined };
    this.#sent += 1;
    if (this.#encoded.has(batch) || batch.range.isWhole) this.#retried += 1;
    this.#encoded.set(batch, encoded);
    this.#bytes += encoded.body.length;
    const start = clock.now();
    const outcome = redactedOutcome(await this.#outcome(batch, encoded), (text) => this.redact(text));
    this.#latencies.add(clock.now() - start);
    this.#ended += 1;
    return outcome;
  }

  /** The service took a batch. */
  accepted(batch: Batch): void {
    this.#accepted += 1;
    const encoded = this.#encoded.get(batch);
    if (encoded !== undefined) this.#options.compression?.accepted(encoded);
  }

  /**
   * The service refused a batch, or gave no answer. Returns whether it may be that it does not know gzip: then the batch is
   * sent as it is from now on, and nothing is to be concluded about its events.
   */
  isEncodingAtFault(batch: Batch, status: number | undefined): boolean {
    const encoded = this.#encoded.get(batch);
    return (encoded && this.#options.compression?.refused(batch.body, encoded, status)) ?? false;
  }

  async #outcome(batch: Batch, { body, encoding }: Encoded): Promise<Outcome> {
    const { clock, signal, timeouts, transport, url } = this.#options;
    const limit = abortAfter(clock, timeouts.totalMs + GRACE_MS, signal);
    let timer: Timer | undefined;
    const abandoned = new Promise<Outcome>((resolve) => {
      const cause = new Error('the transport gave no outcome in its time');
      const abandon = () => {
        timer = clock.setTimeout(() => resolve({ kind: 'failed', cause, maybeSent: true }), STOP_MS, true);
      };
      if (limit.signal.aborted) abandon();
      limit.signal.addEventListener('abort', abandon);
    });
    try {
      const headers = { ...this.#headersOf(batch), ...(encoding && { 'content-encoding': encoding }) };
      const request = { url, headers, body, timeouts, signal: limit.signal };
      return checked(await Promise.race([transport.post(request), abandoned]));
    } catch (cause) {
      // A transport of the user's own may break its word.
      return { kind: 'failed', cause, maybeSent: true };
    } finally {
      limit.cancel();
      timer?.cancel();
    }
  }

  #headersOf(batch: Batch): Readonly<Record<string, string>> {
    const { idempotencyHeader } = this.#options;
    if (idempotencyHeader === undefined) return this.#headers;
    const id = this.#ids.get(batch) ?? batchId(batch);
    this.#ids.set(batch, id);
    return { ...this.#headers, [idempotencyHeader]: id };
  }
}

/** An outcome as it must be: a transport of the user's own may return anything. Throws where nothing can be made of it. */
function checked(given: Outcome): Outcome {
  const { kind, status, retryAfter, body, cause, maybeSent } = Object(given);
  if (kind === 'failed') return { kind, cause, maybeSent: maybeSent !== false };
  if (kind !== 'answered' || !Number.isInteger(status))
    throw nonsense('the transport must return an Outcome', given);
  return {
    kind,
    status,
    retryAfter: retryAfter && String(retryAfter),
    body: typeof body === 'string' ? body : '',
  };
}
