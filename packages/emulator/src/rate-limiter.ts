import type { Clock } from './clock.ts';

/** In thousandths, which grow by whole numbers each millisecond. */
const REQUEST = 1_000;

/** Lets through so many requests a second: as many at once as it lets through in one. */
export class RateLimiter {
  readonly #clock: Clock;
  #free = Number.POSITIVE_INFINITY;
  #countedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0 where a request may pass, which it then did; else in how many milliseconds one may. */
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
