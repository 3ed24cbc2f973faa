import type { Clock, Timer } from '@sluice/core';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that begins with the system's time and stands still but where it leaps to a timer. */
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

  /** Leaps to the next timer that is due by then, and calls it. False where there is none: then nothing changed. */
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
