import { untilWoken } from '@sluice/protocol/toolbox';

interface Tracked {
  readonly epoch: number;
  readonly count: number;
}

/**
 * Tells when all events tracked before a flush are settled, at a cost that does not grow with them: a flush ends an epoch, and
 * each epoch counts its unsettled events.
 */
export class Epochs {
  /** The epoch of new events. */
  current = 0;
  /** Unsettled events of the current epoch. */
  #newest = 0;
  /** The same of earlier epochs that have any, in ascending order. */
  readonly #unsettled = new Map<number, number>();
  /** Ends the wait for each epoch. */
  readonly #waiting = new Map<number, () => void>();

  enter(count: number): void {
    this.#newest += count;
  }

  /** Counts settled events out: delivered, dead-lettered or dropped. */
  settle({ epoch, count }: Tracked): void {
    if (epoch === this.current) {
      this.#newest -= count;
      return;
    }
    const left = (this.#unsettled.get(epoch) ?? 0) - count;
    if (left > 0) {
      this.#unsettled.set(epoch, left);
      return;
    }
    this.#unsettled.delete(epoch);
    const oldest = this.#oldest();
    for (const [waited, wake] of this.#waiting) if (waited < oldest) wake();
  }

  /** Whether a flush waits for the events of one epoch, and not for those of a later one. */
  divides(one: Pick<Tracked, 'epoch'>, later: Pick<Tracked, 'epoch'>): boolean {
    for (const waited of this.#waiting.keys()) if (one.epoch <= waited && waited < later.epoch) return true;
    return false;
  }

  /** From now on these events travel together, and count to the oldest of their epochs. Returns that epoch. */
  join(parts: readonly Tracked[]): number {
    const oldest = Math.min(...parts.map(({ epoch }) => epoch));
    for (const part of parts) {
      if (part.epoch === oldest) continue;
      this.#unsettled.set(oldest, (this.#unsettled.get(oldest) ?? 0) + part.count);
      this.settle(part);
    }
    return oldest;
  }

  /** Ends the current epoch. Returns it. */
  end(): number {
    const epoch = this.current;
    if (this.#newest > 0) this.#unsettled.set(epoch, this.#newest);
    this.#newest = 0;
    this.current += 1;
    return epoch;
  }

  /** Resolves once the events of an epoch that has ended, and of all earlier ones, are settled, or the signal aborts. */
  async settled(epoch: number, over: AbortSignal): Promise<void> {
    if (this.#oldest() > epoch) return;
    await untilWoken(over, (wake) => {
      this.#waiting.set(epoch, wake);
      return () => this.#waiting.delete(epoch);
    });
  }

  #oldest(): number {
    for (const epoch of this.#unsettled.keys()) return epoch;
    return Number.POSITIVE_INFINITY;
  }
}
