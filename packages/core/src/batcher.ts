import type { Backlog } from './backlog.ts';
import { type Batch, createBatch } from './batch.ts';
import type { Clock, Timer } from './clock.ts';
import { StorageError } from './errors/storage-error.ts';
import { type Journal, type Limit, rangeLength } from './journal.ts';

export interface BatcherOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly limit: Limit;
  /** How long an event may wait for others to be sent with, in milliseconds. */
  readonly maxWaitMs: number;
  /** A batch has become due by its age. */
  readonly onDue: () => void;
  /** Stored events could not be read back intact and are lost. */
  readonly onDamaged: (count: number) => void;
}

/**
 * Makes batches: of fresh events once there are enough of them by count, bytes or age, of stored ones at once.
 * Where both wait it takes turns, so that a backlog does not starve fresh events, nor they it.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  #timer: Timer | undefined;
  #urgent = 0;
  #storedIsNext = true;
  #storedIsHeld = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** From now on, until the returned function is called, events need not wait for others. */
  hurry(): () => void {
    this.#urgent += 1;
    return () => {
      this.#urgent -= 1;
    };
  }

  /** The next batch that is due, or undefined; then `onDue` is called when one becomes due by its age. */
  async next(): Promise<Batch | undefined> {
    const { backlog, limit } = this.#options;
    for (;;) {
      const freshIsDue = this.#freshIsDue();
      if (backlog.stored > 0 && !this.#storedIsHeld && (this.#storedIsNext || !freshIsDue)) {
        this.#storedIsNext = false;
        const batch = await this.#readStored();
        if (batch !== undefined) return batch;
      } else if (freshIsDue) {
        this.#storedIsNext = true;
        this.stop();
        return backlog.takeFresh(limit);
      } else {
        return undefined;
      }
    }
  }

  /** Leaves stored events alone, because they cannot be read now, until the returned function is called. */
  holdStored(): () => void {
    this.#storedIsHeld = true;
    // Others may be readable.
    this.#options.backlog.rotateStored();
    return () => {
      this.#storedIsHeld = false;
    };
  }

  /** Cancels the timer; `next()` sets it again where events wait. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #freshIsDue(): boolean {
    const { backlog, clock, limit, maxWaitMs, onDue } = this.#options;
    const oldestAt = backlog.oldestAt;
    if (backlog.fresh === 0 || oldestAt === undefined) return false;
    if (this.#urgent > 0 || backlog.fresh >= limit.maxEvents || backlog.bytes >= limit.maxBytes) return true;
    const waitMs = oldestAt + maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > maxWaitMs) return true;
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = undefined;
      onDue();
    }, waitMs);
    return false;
  }

  async #readStored(): Promise<Batch | undefined> {
    const { backlog, journal, limit, onDamaged } = this.#options;
    const asked = backlog.peekStored();
    if (asked === undefined) return undefined;
    const { events, range } = await journal.read(asked, limit);
    const count = rangeLength(range);
    if (count < 1) throw new StorageError('the journal read nothing of what it is said to hold');
    const taken = backlog.takeStored(count);
    if (events.ends.length > 0) return createBatch(events, taken);
    backlog.settle(taken);
    onDamaged(count);
    await journal.acknowledge(taken);
    return undefined;
  }
}
