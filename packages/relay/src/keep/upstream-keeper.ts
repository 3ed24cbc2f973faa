import { setMaxListeners } from 'node:events';
import type { FinishOptions } from '@sluice/core';
import { isIntercepted } from '@sluice/core/text-tracker';
import { UndiciTransport } from '@sluice/core/undici-transport';
import { EVENTS_PATH, endpoint, joinEvents, parseRetryAfter, requestHeaders } from '@sluice/protocol';
import { type Clock, MAX_TIMER_MS, type Redact } from '@sluice/protocol/toolbox';
import { Refusal } from '../exchange.ts';
import type { FailureLog } from '../failure-log.ts';
import type { Settings } from '../settings.ts';
import type { Keeper, PageEvent, Work } from './keeper.ts';

/** How long the last requests may take when the relay is closed, in milliseconds. */
const CLOSE_MS = 10_000;
const TIMEOUTS = { connectMs: 5_000, headersMs: 20_000, bodyMs: 5_000, totalMs: 25_000 };
const TOO_LARGE = 413;
/** These are about the request, the key or the address. After another 4xx, or 501, an event is at fault, as for a tracker. */
const OURS: ReadonlySet<number> = new Set([
  ...[401, 402, 403, 404, 405, 407, 408, 410, 421, 425, 426, 429, 431, 451],
]);
/** Characters of an answer that are logged. */
const MOST_SHOWN = 200;
/** A page whose text is not logged. For acceptance, the rule of the trackers counts: it calls XML of a refusal a page, too. */
const HTML = /^\s*<(?:!doctype|html)/i;

/** Keeps nothing: the service has the events before the page has its answer. For machines without a disk. */
export class UpstreamKeeper implements Keeper {
  readonly tracker = undefined;
  readonly isReady = true;
  readonly repeated = 0;
  readonly #clock: Clock;
  readonly #log: FailureLog;
  readonly #redact: Redact;
  readonly #transport: UndiciTransport;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ending = new AbortController();
  readonly #pending = new Set<Promise<void>>();

  constructor({ apiKey, baseUrl, clock, log, redact, tracker }: Settings) {
    const { connect, dispatcher, headers } = tracker.delivery ?? {};
    this.#clock = clock;
    this.#log = log;
    this.#redact = redact;
    this.#transport = new UndiciTransport({ connect, dispatcher });
    this.#url = endpoint(baseUrl, EVENTS_PATH);
    this.#headers = { ...headers, ...requestHeaders(apiKey) };
    // Node would warn from eleven requests on.
    setMaxListeners(0, this.#ending.signal);
  }

  window(): undefined {
    return undefined;
  }

  async keep({ events }: Work): Promise<void> {
    if (events.length === 0) return;
    const sent = this.#send(events);
    this.#pending.add(sent);
    await sent.finally(() => this.#pending.delete(sent));
  }

  /** Waits for the answers to pending requests: what is sent again arrives twice. */
  async close({ timeoutMs = CLOSE_MS, signal }: FinishOptions = {}): Promise<void> {
    const end = () => this.#ending.abort();
    const timer = this.#clock.setTimeout(end, Math.min(timeoutMs, MAX_TIMER_MS), true);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
    // The body of another one may come meanwhile.
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    signal?.removeEventListener('abort', end);
    timer.cancel();
    end();
    await this.#transport.close();
  }

  async #send(events: readonly PageEvent[]): Promise<void> {
    const outcome = await this.#transport.post({
      url: this.#url,
      headers: this.#headers,
      body: Buffer.from(joinEvents(events.map(({ text }) => text))),
      timeouts: TIMEOUTS,
      signal: this.#ending.signal,
    });
    const answer = outcome.kind === 'answered' ? outcome : undefined;
    const status = answer?.status ?? 0;
    const isAccepted = status >= 200 && status < 300;
    if (answer && isAccepted && !isIntercepted(answer)) return;
    // The page sends less at once. Otherwise it would send the same again and again.
    if (status === TOO_LARGE) throw new Refusal('too_large');
    // Before it is cut: the log would not know a part of the key.
    const body = this.#redact(answer?.body ?? '').slice(0, MOST_SHOWN);
    const words = isAccepted || HTML.test(body) ? 'a web page' : body || 'nothing';
    const cause =
      outcome.kind === 'failed' ? outcome.cause : new Error(`the service answered ${status} with ${words}`);
    if ((status >= 400 && status < 500 && !OURS.has(status)) || status === 501) {
      this.#log(cause, 'Sluice relay: the service refuses events, and pages look for the one at fault');
      throw new Refusal('malformed');
    }
    this.#log(cause, 'Sluice relay: the service has not taken events, and pages keep them');
    throw new Refusal('not_durable', parseRetryAfter(answer?.retryAfter, this.#clock.now(), answer?.date));
  }
}
