import type { Clock, Timer } from '@sluice/core';
import { StillClock } from '../../still-clock.ts';

/** Idle turns of the event loop before the clock moves on. */
const IDLE_TURNS = 3;

/** A clock that only `advance()` moves. It stands still while a request or a transaction is pending. */
export class PageClock extends StillClock {
  readonly #isBusy: () => boolean;

  constructor(isBusy: () => boolean) {
    super();
    this.#isBusy = isBusy;
  }

  async advance(ms: number): Promise<void> {
    const end = this.now() + ms;
    do await this.#idle();
    while (this.leap(end));
    this.set(end);
  }

  async #idle(): Promise<void> {
    for (let turns = 0; turns < IDLE_TURNS; turns += 1) {
      await nextTurn();
      if (this.#isBusy()) turns = 0;
    }
  }
}

/** Uses no timer, because browsers delay timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** A clock that runs `scale` times as fast as the system clock, and can be set forward and back. */
export class ShiftedClock implements Clock {
  readonly #scale: number;
  readonly #startedAt: number;
  offsetMs: number;

  /** @param startedAt When it showed the same time as the system clock. */
  constructor(scale: number, startedAt: number, offsetMs: number) {
    this.#scale = scale;
    this.#startedAt = startedAt;
    this.offsetMs = offsetMs;
  }

  now(): number {
    return this.#startedAt + (Date.now() - this.#startedAt) * this.#scale + this.offsetMs;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const timer = setTimeout(callback, delayMs / this.#scale);
    return { cancel: () => clearTimeout(timer) };
  }
}
