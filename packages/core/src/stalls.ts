interface Waiter {
  readonly until: number;
  readonly resolve: () => void;
}

/** Tells those who wait for events to be settled that nothing can become of any before their time is over. */
export class Stalls {
  readonly #stalledUntil: () => number;
  readonly #waiters = new Set<Waiter>();

  /** @param stalledUntil Until when nothing can become of any event, in milliseconds since 1970. */
  constructor(stalledUntil: () => number) {
    this.#stalledUntil = stalledUntil;
  }

  /** That may have changed. */
  check(): void {
    if (this.#waiters.size === 0) return;
    const until = this.#stalledUntil();
    for (const waiter of this.#waiters) if (until >= waiter.until) waiter.resolve();
  }

  /** Resolves with the work, or as soon as nothing can become of any event before `until`. */
  async wait(work: Promise<void>, until: number): Promise<void> {
    let waiter: Waiter | undefined;
    const stalled = new Promise<void>((resolve) => {
      waiter = { until, resolve };
      this.#waiters.add(waiter);
    });
    this.check();
    await Promise.race([work, stalled]);
    if (waiter !== undefined) this.#waiters.delete(waiter);
  }
}
