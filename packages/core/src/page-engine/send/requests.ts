import { endpoint, joinEvents } from '@sluice/protocol';
import { BATCH_OVERHEAD_BYTES, type Clock, redactor } from '@sluice/protocol/toolbox';
import type { Guarded } from '../../options/callbacks.ts';
import type { Settings } from '../../options/settings.ts';
import type { Outcome } from '../../send/http/transport.ts';
import { Latencies } from '../../tell/latencies.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import { createPost, roomLeft } from './fetch.ts';

const encoder = new TextEncoder();
/** Of the API keys that were replaced, so many are kept out of what is shown. */
const KEYS_KEPT = 4;

interface RequestsOptions {
  /** Of a relay. */
  readonly path: string | undefined;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly hooked: Pick<Guarded, 'destination' | 'safeCause' | 'transport'>;
  readonly reporter: Pick<Reporter, 'emit'>;
  readonly signal: AbortSignal;
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
  post(texts: readonly string[], isRepeated: boolean, outlives: boolean, fields?: object): Promise<Outcome>;
  close(): Promise<void>;
}

/** Makes requests, and keeps the key out of their answers. */
export function createRequests(options: RequestsOptions): Requests {
  const { settings, clock, reporter, signal } = options;
  const { destination, safeCause, transport } = options.hooked;
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
  let keys: string[] = [];
  if (settings.apiKey) keys = [settings.apiKey];
  const redact = (text: string) => keys.reduce((safe, key) => redactor(key)(safe), text);
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
      if (key === keys[0]) return false;
      keys = [key, ...keys].slice(0, KEYS_KEPT);
      return true;
    },
    async post(texts, isRepeated, outlives, fields) {
      const plain = joinEvents(texts);
      const body = encoder.encode(
        fields ? `${plain.slice(0, -1)},${JSON.stringify(fields).slice(1)}` : plain,
      );
      counts.sent += 1;
      counts.bytes += body.length;
      if (isRepeated) counts.retried += 1;
      const headers = { ...delivery.headers, ...destination.headers(keys[0]) };
      const start = clock.now();
      const request = { url, headers, body, timeouts, signal, outlives };
      const outcome = await (transport?.post(request) ?? post(request));
      const durationMs = Math.max(0, clock.now() - start);
      latencies.add(durationMs);
      const status = outcome.kind === 'answered' ? outcome.status : 0;
      if (!(status >= 200 && status < 300)) counts.failed += 1;
      reporter.emit('request', { url, status, durationMs });
      if (outcome.kind === 'failed')
        return safeCause ? { ...outcome, cause: safeCause(outcome.cause) } : outcome;
      const { body: text, location } = outcome;
      return { ...outcome, body: redact(text), location: location && redact(location) };
    },
    close: async () => transport?.close(),
  };
}
