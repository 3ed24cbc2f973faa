import type { Clock, Timer } from '@sluice/protocol/toolbox';

/** A clock whose time of day can be wrong. Its timers are not affected, as on all platforms. */
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
