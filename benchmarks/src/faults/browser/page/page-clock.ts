import type { Clock, Timer } from '@sluice/core';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** Turns of the event loop in which nothing goes on before time goes on. */
const IDLE_TURNS = 3;

/** A clock that stands still until `advance()` moves it, and while a request or a transaction is under way. */
export class PageClock implements Clock {
  readonly #timers = new Set<Entry>();
  readonly #isBusy: () => boolean;
  #now = Date.now();

  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const entry = { at: this.#now + Math.max(0, delayMs), callback };
    this.#timers.add(entry);
    return { cancel: () => void this.#timers.delete(entry) };
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await this.#idle();
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
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
