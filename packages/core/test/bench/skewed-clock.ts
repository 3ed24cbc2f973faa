import type { Clock, Timer } from '../../src/base/clock.ts';

/** A clock whose time of day somebody set wrong or right: its timers, as those of all platforms, know nothing of it. */
export class SkewedClock implements Clock {
  readonly #clock: Clock;
  skewMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.skewMs;
  }

  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer {
    return this.#clock.setTimeout(callback, delayMs, keepAlive);
  }
}
