interface SetTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * The clock for the tests of `emulator` and `customers`. Time passes only if a test calls `advance`. Exception: a wait shorter
 * than `hurryBelowMs` passes at once, and is recorded in `delays`.
 */
export class VirtualClock {
  /** The waits that passed at once, in milliseconds. */
  readonly delays: number[] = [];
  readonly #timers = new Set<SetTimer>();
  readonly #hurryBelowMs: number;
  #nowMs = Date.UTC(2026, 10, 21, 10, 15, 30);

  constructor(hurryBelowMs = 0) {
    this.#hurryBelowMs = hurryBelowMs;
  }

  /** Number of timers that have neither fired nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimeout(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    if (delayMs < this.#hurryBelowMs) {
      this.delays.push(delayMs);
      queueMicrotask(() => this.#fire(timer));
    }
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Lets time pass and fires due timers in order, even those set meanwhile. A negative `byMs` sets the clock back. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined || next.dueMs > untilMs) break;
      this.#fire(next);
    }
    this.#nowMs = untilMs;
  }

  #fire(timer: SetTimer): void {
    if (!this.#timers.delete(timer)) return;
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    timer.callback();
  }
}
