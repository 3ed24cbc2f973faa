/** Wakes callers that wait for new events. */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  /** Wakes all waiting callers. Call it when events have arrived, and when no more will come. */
  tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls `wake` once, at the next `tell()`. `forget` cancels that. */
  next(wake: () => void): { forget(): void } {
    this.#waiting.add(wake);
    return { forget: () => void this.#waiting.delete(wake) };
  }
}
