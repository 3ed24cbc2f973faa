import { UndiciTransport } from '@sluice/core/undici-transport';
import {
  EVENTS_PATH,
  type Event,
  endpoint,
  findEventProblem,
  joinEvents,
  parseRetryAfter,
  requestHeaders,
} from '@sluice/protocol';
import type { Clock } from '@sluice/protocol/toolbox';
import { Refusal } from '../exchange.ts';
import type { Settings } from '../options.ts';
import type { Keeper, PageEvent, Refused, Work } from './keeper.ts';

const TIMEOUTS = { connectMs: 5_000, headersMs: 20_000, bodyMs: 5_000, totalMs: 25_000 };
/** A page of a captive portal, or of a proxy. */
const HTML = /^\s*<(?:!doctype|html)/i;

/** Keeps nothing: the service has the events before the page has its answer. For machines without a disk. */
export class UpstreamKeeper implements Keeper {
  readonly tracker = undefined;
  readonly isReady = true;
  readonly repeated = 0;
  readonly #clock: Clock;
  readonly #transport: UndiciTransport;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #correlationKey: string;
  readonly #maxEventBytes: number;
  readonly #ending = new AbortController();

  constructor({ apiKey, baseUrl, clock, correlationKey, limits, tracker }: Settings) {
    const { connect, dispatcher, headers } = tracker.delivery ?? {};
    this.#clock = clock;
    this.#transport = new UndiciTransport({ connect, dispatcher });
    this.#url = endpoint(baseUrl, EVENTS_PATH);
    this.#headers = { ...headers, ...requestHeaders(apiKey) };
    this.#correlationKey = correlationKey;
    this.#maxEventBytes = limits.maxEventBytes;
  }

  window(): undefined {
    return undefined;
  }

  async keep({ events }: Work): Promise<readonly Refused[]> {
    const refused: Refused[] = [];
    const texts: string[] = [];
    for (const event of events) {
      const made = this.#textOf(event);
      if (typeof made === 'string') texts.push(made);
      else refused.push(made);
    }
    if (texts.length > 0) await this.#send(Buffer.from(joinEvents(texts)));
    return refused;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#transport.close();
  }

  async #send(body: Buffer): Promise<void> {
    const outcome = await this.#transport.post({
      url: this.#url,
      headers: this.#headers,
      body,
      timeouts: TIMEOUTS,
      signal: this.#ending.signal,
    });
    const isAnswered = outcome.kind === 'answered';
    if (isAnswered && outcome.status >= 200 && outcome.status < 300 && !HTML.test(outcome.body)) return;
    throw new Refusal(
      'not_durable',
      isAnswered ? parseRetryAfter(outcome.retryAfter, this.#clock.now()) : undefined,
    );
  }

  /** The JSON of an event; if it cannot be sent, its index and the reason. */
  #textOf({ index, ...given }: PageEvent): string | Refused {
    const event = { ...given, correlationKey: this.#correlationKey };
    const problem = findEventProblem(event);
    if (problem) return [index, problem.message];
    const text = JSON.stringify(event satisfies { [Name in keyof Event]: unknown });
    const bytes = Buffer.byteLength(text);
    return bytes <= this.#maxEventBytes
      ? text
      : [index, `event must take at most ${this.#maxEventBytes} bytes as JSON, got ${bytes}`];
  }
}
