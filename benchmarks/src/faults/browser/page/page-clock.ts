import type { Clock, Timer } from '@sluice/core';
import { StillClock } from '../../still-clock.ts';

/** Turns of the event loop in which nothing goes on before time goes on. */
const IDLE_TURNS = 3;

/** A clock that stands still until `advance()` moves it, and while a request or a transaction is under way. */
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

/** Without a timer: browsers make those wait. */
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

/** A clock that runs so many times as fast as the system's, and can be put forward and back. */
export class ShiftedClock implements Clock {
  readonly #scale: number;
  readonly #startedAt: number;
  offsetMs: number;

  /** @param startedAt When it showed the same as the system's. */
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
