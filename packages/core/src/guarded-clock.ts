import type { Clock, Timer } from './clock.ts';
import { nonsense } from './nonsense.ts';

/** The end of the year 9999: later than that no event can be. */
const MAX_TIME = 253_402_300_799_999;

/** A clock of the user's, and the platform's wherever that one fails. */
export class GuardedClock implements Clock {
  readonly #clock: Clock;
  readonly #fallback: Clock;
  readonly #onFailed: (error: unknown) => void;

  constructor(clock: Clock, fallback: Clock, onFailed: (error: unknown) => void) {
    this.#clock = clock;
    this.#fallback = fallback;
    this.#onFailed = onFailed;
  }

  now(): number {
    try {
      const now = this.#clock.now();
      if (typeof now === 'number' && now >= 0 && now <= MAX_TIME) return now;
      this.#onFailed(nonsense('now() must return milliseconds since 1970', now));
    } catch (error) {
      this.#onFailed(error);
    }
    return this.#fallback.now();
  }

  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer {
    let isSet = false;
    let isOver = false;
    let second: Timer | undefined;
    // Whatever the clock does: once, and not after it is cancelled.
    const run = () => {
      if (isOver) return;
      isOver = true;
      callback();
    };
    const onTime = () => {
      if (isSet) return run();
      this.#onFailed(new Error('setTimeout() must not call back before it returns'));
      second ??= this.#fallback.setTimeout(run, delayMs, keepAlive);
    };
    const first = this.#set(onTime, delayMs, keepAlive);
    isSet = true;
    return {
      cancel: () => {
        isOver = true;
        second?.cancel();
        try {
          const result: unknown = first.cancel();
          if (result !== undefined) Promise.resolve(result).catch(this.#onFailed);
        } catch (error) {
          this.#onFailed(error);
        }
      },
    };
  }

  #set(onTime: () => void, delayMs: number, keepAlive: boolean | undefined): Timer {
    try {
      const timer: Timer | undefined = this.#clock.setTimeout(onTime, delayMs, keepAlive);
      if (typeof timer?.cancel === 'function') return timer;
      this.#onFailed(nonsense('setTimeout() must return an object with cancel()', timer));
    } catch (error) {
      this.#onFailed(error);
    }
    return this.#fallback.setTimeout(onTime, delayMs, keepAlive);
  }
}
