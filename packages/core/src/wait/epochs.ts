import { untilWoken } from '../base/clock.ts';

/**
 * Tells when all events of before a moment are settled, at a cost that does not grow with them: a flush ends an epoch,
 * and each epoch counts its unsettled events.
 */
export class Epochs {
  #current = 0;
  readonly #unsettled = new Map<number, number>();
  /** Ends the wait for each epoch, in ascending order. */
  readonly #waiting = new Map<number, () => void>();

  /** The epoch in which events are counted in now. */
  get current(): number {
    return this.#current;
  }

  /** Counts new events in. Returns their epoch. */
  enter(count: number): number {
    if (count > 0) this.#unsettled.set(this.#current, (this.#unsettled.get(this.#current) ?? 0) + count);
    return this.#current;
  }

  /** Counts settled events out: delivered, dead-lettered or dropped. */
  settle(epoch: number, count: number): void {
    const left = (this.#unsettled.get(epoch) ?? 0) - count;
    if (left > 0) {
      this.#unsettled.set(epoch, left);
      return;
    }
    this.#unsettled.delete(epoch);
    const oldest = this.#oldest();
    for (const [waited, wake] of this.#waiting) {
      if (waited >= oldest) break;
      wake();
    }
  }

  /** Ends the current epoch. Resolves when its events and all earlier ones are settled, or the signal aborts. */
  turn(over: AbortSignal): Promise<void> {
    const epoch = this.#current;
    this.#current += 1;
    if (this.#oldest() > epoch) return Promise.resolve();
    return untilWoken(over, (wake) => {
      this.#waiting.set(epoch, wake);
      return () => this.#waiting.delete(epoch);
    });
  }

  #oldest(): number {
    // Insertion order is ascending: only the current epoch, the highest, is ever added again.
    for (const epoch of this.#unsettled.keys()) return epoch;
    return Number.POSITIVE_INFINITY;
  }
}
