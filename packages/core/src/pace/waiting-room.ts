import { untilWoken } from '../base/clock.ts';

interface Waiter {
  readonly events: number;
  /** Of one who waits for it to be known that nothing can become of any event before. */
  readonly until: number | undefined;
  readonly wake: () => void;
}

/** Those who wait for a request to end or the breaker to change. */
export class WaitingRoom {
  readonly #waiting = new Set<Waiter>();

  /** Resolves with the next `wake` that is meant for it, or when the signal aborts. */
  wait(events: number, signal: AbortSignal, until?: number): Promise<void> {
    return untilWoken(signal, (wake) => {
      const waiter = { events, until, wake };
      this.#waiting.add(waiter);
      return () => this.#waiting.delete(waiter);
    });
  }

  /** @param isStalled Whether no request will be made before a time. */
  wake(isStalled: (until: number) => boolean): void {
    // In this order: the first to ask is the one that gets through.
    for (const { until, wake } of [...this.#waiting].sort((a, b) => a.events - b.events))
      if (until === undefined || isStalled(until)) wake();
  }
}
