import type { Outcome, Transport, TransportRequest } from '@sluice/core';
import type { Random } from '../random.ts';
import type { Outage } from './outages.ts';
import type { SharedClock } from './shared-clock.ts';

const LATENCY_MS = { least: 20, most: 80 };
const ACCEPTED: Outcome = { kind: 'answered', status: 200, retryAfter: undefined, body: '' };

/** Observes every request. */
export interface Observer {
  requested(client: number, now: number): void;
  refused(client: number, now: number): void;
  taken(client: number, body: Uint8Array, now: number): void;
}

export interface LimitedServiceOptions {
  readonly clock: SharedClock;
  readonly random: Random;
  readonly outage: Outage;
  readonly observer: Observer;
  /** When it goes away and when it comes back, in milliseconds since 1970. */
  readonly awayAt: number;
  readonly backAt: number;
  /** Requests that it takes per second. At most the number for one second at once. */
  readonly perSecond: number;
}

/** A service that is away for a while, and refuses requests above its capacity. */
export class LimitedService {
  readonly #options: LimitedServiceOptions;
  #tokens: number;
  #countedAt = 0;

  constructor(options: LimitedServiceOptions) {
    this.#options = options;
    this.#tokens = options.perSecond;
  }

  /** The transport of one client to the service. */
  connect(client: number): Transport {
    return { post: (request) => this.#post(client, request), close: async () => {} };
  }

  #post(client: number, { body, timeouts, signal }: TransportRequest): Promise<Outcome> {
    const { clock, observer, random } = this.#options;
    observer.requested(client, clock.now());
    const outcome = this.#answer(client, body);
    const [delayMs, answer]: [number, Outcome] =
      outcome === 'silence'
        ? [timeouts.headersMs, { kind: 'failed', cause: new Error('timed out'), maybeSent: true }]
        : [LATENCY_MS.least + random(LATENCY_MS.most - LATENCY_MS.least), outcome];
    return new Promise((resolve) => {
      const abort = () => resolve({ kind: 'failed', cause: new Error('aborted'), maybeSent: true });
      signal.addEventListener('abort', abort, { once: true });
      clock.setTimeout(() => resolve(answer), delayMs);
    });
  }

  #answer(client: number, body: Uint8Array): Outcome | 'silence' {
    const { awayAt, backAt, clock, observer, outage } = this.#options;
    const now = clock.now();
    if (now >= awayAt && now < backAt) return outage.away(backAt);
    if (!this.#hasRoom(now)) {
      observer.refused(client, now);
      return outage.tooMuch;
    }
    observer.taken(client, body, now);
    return ACCEPTED;
  }

  #hasRoom(now: number): boolean {
    const { perSecond } = this.#options;
    this.#tokens = Math.min(perSecond, this.#tokens + ((now - this.#countedAt) / 1_000) * perSecond);
    this.#countedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
