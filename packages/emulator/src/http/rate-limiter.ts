import type { Clock } from '@sluice/protocol/toolbox';

/** One request, in thousandths. So the allowance grows by a whole number each millisecond. */
const REQUEST = 1_000;

/** Limits the requests per second. After a pause, the requests of a whole second may pass at once. */
export class RateLimiter {
  readonly #clock: Clock;
  #free = Number.POSITIVE_INFINITY;
  #countedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns 0 if a request may pass, and counts that request. Otherwise returns how many milliseconds to wait. */
  take(perSecond: number): number {
    const now = this.#clock.now();
    const grown = Math.max(0, now - this.#countedAt) * perSecond;
    this.#free = Math.min(perSecond * REQUEST, this.#free + grown);
    this.#countedAt = now;
    if (this.#free < REQUEST) return Math.ceil((REQUEST - this.#free) / perSecond);
    this.#free -= REQUEST;
    return 0;
  }
}
