import { endpoint } from '@sluice/protocol';
import { BATCH_OVERHEAD_BYTES, type Clock, redactor } from '@sluice/protocol/toolbox';
import type { Guarded } from '../../options/callbacks.ts';
import type { Settings } from '../../options/settings.ts';
import type { Outcome } from '../../send/http/transport.ts';
import { Latencies } from '../../tell/latencies.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import type { Batch as Carry } from '../../wait/parcel.ts';
import { createPost, roomLeft } from './fetch.ts';

const encoder = new TextEncoder();
/** A header of the user may be a secret if its value is as long. */
const SECRET_LENGTH = 8;

interface RequestsOptions {
  /** Of a relay. */
  readonly path: string | undefined;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly hooked: Pick<Guarded, 'destination' | 'headersOf' | 'safeCause' | 'transport'>;
  readonly reporter: Pick<Reporter, 'emit'>;
  readonly signal: AbortSignal;
}

/** What a request carries: its events, and its body for the service of the interface. */
export interface Carried extends Carry {
  readonly count: number;
}

export interface Requests {
  readonly url: string;
  readonly stats: TrackerStats['requests'];
  /** How many bytes of events a request may have that outlives the page. */
  readonly room: number;
  redact(text: string): string;
  /** Returns whether it is another key. */
  setApiKey(key: string): boolean;
  /** @param fields What the body has besides the events. */
  carry(texts: readonly string[], fields?: object): Carried;
  post(carried: Carried, isRepeated: boolean, outlives: boolean): Promise<Outcome>;
  /** The last one was. */
  accepted(): void;
  close(): Promise<void>;
}

/** Makes requests, and keeps the key out of their answers. */
export function createRequests(options: RequestsOptions): Requests {
  const { settings, clock, reporter, signal } = options;
  const { destination, headersOf, safeCause, transport } = options.hooked;
  const { advanced, baseUrl, delivery } = settings;
  const url = endpoint(baseUrl, options.path ?? destination.path);
  const post = createPost(delivery.credentials);
  const latencies = new Latencies();
  const timeouts = {
    totalMs: delivery.timeoutMs,
    connectMs: advanced.connectTimeoutMs,
    headersMs: advanced.headersTimeoutMs,
    bodyMs: advanced.bodyTimeoutMs,
  };
  const counts = { sent: 0, retried: 0, failed: 0, bytes: 0 };
  let { apiKey } = settings;
  const compression = settings.compress ? settings.parts.gzip?.(clock) : undefined;
  const secrets = new Set(Object.values(delivery.headers).filter(({ length }) => length >= SECRET_LENGTH));
  if (apiKey) secrets.add(apiKey);
  const redact = (text: string) => [...secrets].reduce((safe, secret) => redactor(secret)(safe), text);
  return {
    url,
    redact,
    get stats() {
      return { ...counts, latencyMs: latencies.quantiles };
    },
    get room(): number {
      return (transport ? (transport.room?.() ?? 0) : roomLeft()) - BATCH_OVERHEAD_BYTES;
    },
    setApiKey(key) {
      const isOther = key !== apiKey;
      apiKey = key;
      secrets.add(key);
      return isOther;
    },
    carry(texts, fields) {
      const more = fields ? `,${JSON.stringify(fields).slice(1, -1)}` : '';
      return {
        count: texts.length,
        body: encoder.encode(`{"batch":[${texts}]${more}}`),
        // For parts only.
        get texts() {
          return texts.map((text) => encoder.encode(text));
        },
      };
    },
    accepted() {
      counts.failed -= 1;
    },
    async post(carried, isRepeated, outlives) {
      if (isRepeated) counts.retried += 1;
      const ask = async (body: Uint8Array, encoding?: string) => {
        counts.sent += 1;
        counts.failed += 1;
        counts.bytes += body.length;
        const headers = {
          ...{ ...delivery.headers, ...destination.headers(apiKey) },
          ...{ ...(encoding && { 'content-encoding': encoding }), ...headersOf?.(carried) },
        };
        const start = clock.now();
        const request = { url, headers, body, timeouts, signal, outlives };
        const outcome = await (transport?.post(request) ?? post(request));
        const durationMs = Math.max(0, clock.now() - start);
        latencies.add(durationMs);
        const status = outcome.kind === 'answered' ? outcome.status : 0;
        reporter.emit('request', { url, status, durationMs });
        return outcome;
      };
      const body = destination.body(carried);
      // What outlives the page is made before this function returns.
      const outcome = await ((!outlives && compression?.post(body, ask)) || ask(body));
      if (outcome.kind === 'failed')
        return safeCause ? { ...outcome, cause: safeCause(outcome.cause) } : outcome;
      const { body: text, location } = outcome;
      return { ...outcome, body: redact(text), location: location && redact(location) };
    },
    close: async () => transport?.close(),
  };
}
