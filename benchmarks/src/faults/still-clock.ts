import type { Clock, Timer } from '@sluice/core';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that starts at the system time. It stands still until it leaps to a timer. */
export class StillClock implements Clock {
  #now = Date.now();
  readonly #timers = new Set<Entry>();

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const entry = { at: this.#now + Math.max(0, delayMs), callback };
    this.#timers.add(entry);
    return { cancel: () => void this.#timers.delete(entry) };
  }

  /** Leaps to the next timer that is due by `end`, and calls it. If there is none, returns false and changes nothing. */
  protected leap(end: number = Number.POSITIVE_INFINITY): boolean {
    const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
    return true;
  }

  protected set(now: number): void {
    this.#now = now;
  }
}
