import { untilWoken } from '../base/clock.ts';

interface Waiter {
  readonly events: number;
  /** Set if the caller waits for it to be known that no request will be made before this time. */
  readonly until: number | undefined;
  readonly wake: () => void;
}

/** Callers that wait for a request to end or for the breaker to change. */
export class WaitingRoom {
  readonly #waiting = new Set<Waiter>();

  /** Resolves with the next `wake()` that is meant for this caller, or when the signal aborts. */
  wait(events: number, signal: AbortSignal, until?: number): Promise<void> {
    return untilWoken(signal, (wake) => {
      const waiter = { events, until, wake };
      this.#waiting.add(waiter);
      return () => this.#waiting.delete(waiter);
    });
  }

  /** @param isStalled Whether no request will be made before a given time. */
  wake(isStalled: (until: number) => boolean): void {
    // Fewest events first: the first caller that asks is admitted.
    for (const { until, wake } of [...this.#waiting].sort((a, b) => a.events - b.events))
      if (until === undefined || isStalled(until)) wake();
  }
}
