/** Tells those who wait for events that some came. */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  /** Events came, or none will come any more. */
  tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls back once, the next time that it is told; `forget` takes that back. */
  next(wake: () => void): { forget(): void } {
    this.#waiting.add(wake);
    return { forget: () => void this.#waiting.delete(wake) };
  }
}
