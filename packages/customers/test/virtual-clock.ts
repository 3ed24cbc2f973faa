import type { Clock, Timer } from '../src/index.ts';

interface SetTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes only where a test says so; waits shorter than `hurryBelowMs` pass at once, and are noted. */
export class VirtualClock implements Clock {
  readonly delays: number[] = [];
  readonly #timers = new Set<SetTimer>();
  readonly #hurryBelowMs: number;
  #nowMs = Date.UTC(2026, 10, 21, 10, 15, 30);

  constructor(hurryBelowMs = 0) {
    this.#hurryBelowMs = hurryBelowMs;
  }

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    if (delayMs < this.#hurryBelowMs) {
      this.delays.push(delayMs);
      queueMicrotask(() => this.#fire(timer));
    }
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Lets time pass, and fires what is due, in order. A negative time sets the clock back. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    const due = [...this.#timers].filter((timer) => timer.dueMs <= this.#nowMs);
    for (const timer of due.sort((a, b) => a.dueMs - b.dueMs)) this.#fire(timer);
  }

  #fire(timer: SetTimer): void {
    if (!this.#timers.delete(timer)) return;
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    timer.callback();
  }
}
