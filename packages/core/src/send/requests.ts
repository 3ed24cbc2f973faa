import { EVENTS_PATH, endpoint, requestHeaders } from '@sluice/protocol';
import type { Clock, Redact } from '@sluice/protocol/toolbox';
import { latencyOf } from '../tell/latencies.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { TrackerStats } from '../tell/stats.ts';
import type { Batch } from '../wait/parcel.ts';
import type { Encoder, Outcome, Transport } from './http/transport.ts';

/** Number of keys to redact: the current key and those before it. Answers may still quote an old key. */
export const KEYS_KEPT = 4;
/** The latency is that of so many last requests. */
const MEASURED = 500;
/** A header of the user may be a secret if its value has at least this length. */
const SECRET_LENGTH = 8;

/** Where requests go, and what is in them. */
export interface Destination {
  /** What follows the base URL. */
  readonly path: string;
  readonly headers: (apiKey: string | undefined) => Readonly<Record<string, string>>;
  /** Values of headers that no message may show. */
  readonly secrets?: readonly string[];
  /** The same bytes for each request of a parcel. */
  readonly body: (parcel: Batch) => Uint8Array;
}

/** The service of the interface. */
export const SERVICE: Destination = { path: EVENTS_PATH, headers: requestHeaders, body: ({ body }) => body };

interface RequestsOptions {
  readonly settings: {
    readonly advanced: {
      readonly connectTimeoutMs: number;
      readonly headersTimeoutMs: number;
      readonly bodyTimeoutMs: number;
    };
    readonly apiKey?: string | undefined;
    readonly baseUrl: string;
    readonly compress?: boolean | undefined;
    readonly delivery: {
      readonly headers: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
    };
    readonly parts: { readonly gzip?: ((clock: Clock) => Encoder) | undefined };
  };
  readonly hooked: {
    readonly destination: Destination;
    /** Makes headers that differ from parcel to parcel. */
    readonly headers?: ((parcel: Batch) => Readonly<Record<string, string>>) | undefined;
    readonly safeCause?: ((cause: unknown) => unknown) | undefined;
  };
  /** In place of the path of the destination. */
  readonly path?: string | undefined;
  /** Must keep the contract of `Transport`. */
  readonly transport: Pick<Transport, 'post'>;
  readonly clock: Clock;
  readonly reporter: Pick<Reporter, 'emit'>;
  readonly redactor: (secret: string) => Redact;
  readonly signal: AbortSignal;
}

/** Makes the requests and counts them. Nothing that it returns contains a key. */
export interface Requests {
  readonly url: string;
  readonly stats: TrackerStats['requests'];
  /** Removes the current key, those before it, and the long headers of the user from a text. */
  redact(text: string): string;
  /** Sets the key of later requests. Returns false if they have this key already. */
  setApiKey(key: string): boolean;
  /**
   * Sends a batch. Never rejects, and resolves within the timeouts.
   *
   * @param isRepeated Whether the batch was sent before.
   * @param outlives Whether the page may be gone before the answer comes. Then the request is made before this returns.
   * @param begin Called in the task in which a request begins, once its body is packed. Returns false if there may be none any more.
   */
  post(batch: Batch, isRepeated?: boolean, outlives?: boolean, begin?: () => boolean): Promise<Outcome>;
  /** The service accepted a batch. */
  accepted(): void;
}

export function createRequests(options: RequestsOptions): Requests {
  const { clock, hooked, path, redactor, reporter, settings, signal, transport } = options;
  const { destination, headers: headersOf, safeCause } = hooked;
  const { advanced, baseUrl, delivery } = settings;
  const to = endpoint(baseUrl, path ?? destination.path);
  /** Of the last requests. */
  const durations: number[] = [];
  const timeouts = {
    totalMs: delivery.timeoutMs,
    connectMs: advanced.connectTimeoutMs,
    headersMs: advanced.headersTimeoutMs,
    bodyMs: advanced.bodyTimeoutMs,
  };
  const counts = { sent: 0, retried: 0, failed: 0, bytes: 0 };
  const compression = settings.compress ? settings.parts.gzip?.(clock) : undefined;
  let redactors: readonly Redact[] = [];
  let apiKey: string | undefined = '';
  let common = {};
  let keys: readonly Redact[] = [];
  const setApiKey = (key?: string) => {
    if (key === apiKey) return false;
    common = { ...delivery.headers, ...destination.headers(key) };
    // Only now: the destination makes them of the key.
    const secrets = Object.values<string>({ ...delivery.headers, ...(destination.secrets as object) });
    redactors = secrets.filter(({ length }) => length >= SECRET_LENGTH).map(redactor);
    if (key) keys = [redactor(key), ...keys].slice(0, KEYS_KEPT);
    apiKey = key;
    return true;
  };
  setApiKey(settings.apiKey);
  const redact = (text: string) => [...keys, ...redactors].reduce((safe, redact) => redact(safe), text);
  // Its path may have the key.
  const url = redact(to);
  return {
    url,
    redact,
    get stats() {
      return { ...counts, latencyMs: latencyOf(durations) };
    },
    setApiKey,
    accepted() {
      counts.failed -= 1;
    },
    async post(batch, isRepeated, outlives, begin) {
      if (isRepeated) counts.retried += 1;
      const ask = async (body: Uint8Array, encoding?: string): Promise<Outcome> => {
        if (begin?.() === false) return { kind: 'failed', cause: 'it was left', maybeSent: false };
        counts.sent += 1;
        counts.bytes += body.length;
        const coded = encoding && { 'content-encoding': encoding };
        const headers = { ...common, ...coded, ...headersOf?.(batch) };
        const start = clock.now();
        const outcome = await transport.post({ url: to, headers, body, timeouts, signal, outlives });
        counts.failed += 1;
        const durationMs = Math.max(0, clock.now() - start);
        if (durations.push(durationMs) > MEASURED) durations.shift();
        const status = outcome.kind === 'answered' ? outcome.status : 0;
        reporter.emit('request', { url, status, durationMs });
        return outcome;
      };
      const body = destination.body(batch);
      const outcome = await ((!outlives && compression?.post(body, ask)) || ask(body));
      if (outcome.kind === 'failed')
        return safeCause ? { ...outcome, cause: safeCause(outcome.cause) } : outcome;
      const { body: text, location, status } = outcome;
      // The service may quote the request in its answer. The address of a redirect says more than its page.
      return { ...outcome, body: redact((/^3/.test(`${status}`) && location) || text) };
    },
  };
}
