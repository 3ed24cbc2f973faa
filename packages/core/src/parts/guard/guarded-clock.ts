import type { Clock, Timer } from '@sluice/protocol/toolbox';
import { ask, attempt, isWithin } from '../../base/user-code.ts';

/** Until the end of the year 9999: no event can be later. */
const isTime = isWithin(0, 253_402_300_799_999);

/** The user's clock. If it fails, the platform's clock is used. */
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
    const rule = 'now() must return milliseconds since 1970';
    return ask(() => this.#clock.now(), isTime, rule, this.#onFailed) ?? this.#fallback.now();
  }

  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer {
    let isSet = false;
    let isEarly = false;
    let isOver = false;
    let second: Timer | undefined;
    // Whatever the user's clock does: runs once at most, and not after it is cancelled.
    const run = () => {
      if (!isOver) callback();
      isOver = true;
    };
    const onTime = () => {
      if (isSet) run();
      else isEarly = true;
    };
    const rule = 'setTimeout() must return an object with cancel()';
    const set = () => this.#clock.setTimeout(onTime, delayMs, keepAlive);
    const first = ask(set, isTimer, rule, this.#onFailed);
    isSet = true;
    if (isEarly) this.#onFailed(new Error('setTimeout() must not call back before it returns'));
    if (isEarly || first === undefined) second = this.#fallback.setTimeout(run, delayMs, keepAlive);
    return {
      cancel: () => {
        isOver = true;
        second?.cancel();
        if (first !== undefined) attempt(() => first.cancel(), this.#onFailed);
      },
    };
  }
}

function isTimer(value: unknown): value is Timer {
  return typeof (value as Partial<Timer> | undefined)?.cancel === 'function';
}
