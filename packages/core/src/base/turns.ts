/** Runs tasks one after the other. A task that fails does not stop the next. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all earlier tasks have ended. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Adds work that has begun already. */
  add(work: Promise<unknown>): void {
    // Handled at once: it may fail before its turn.
    const ended = work.catch(() => undefined);
    void this.take(() => ended);
  }

  ended(): Promise<void> {
    return this.take(async () => {});
  }
}
