/** Counts the events that were handed over and are not answered yet. */
export class Outstanding {
  #count = 0;
  #emptied: (() => void) | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(count = 1): void {
    this.#count -= count;
    if (this.#count === 0) this.#emptied?.();
  }

  /** Resolves once all events are answered. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#emptied = resolve;
    });
  }

  get count(): number {
    return this.#count;
  }
}
