import type { Clock, Timer } from '../src/clock.ts';

interface SetTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes only where a test says so. */
export class VirtualClock implements Clock {
  readonly #timers = new Set<SetTimer>();
  #nowMs = Date.UTC(2026, 10, 21, 10, 15, 30);

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Lets time pass, and fires what is due, in order, also what is set meanwhile. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined || next.dueMs > untilMs) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }
}
