import { MEMORY_SEGMENT } from './backlog.ts';
import type { Batch } from './batch.ts';
import type { Books, DropReason } from './books.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';
import type { Journal } from './journal.ts';
import type { Lane } from './lane.ts';
import type { Letterbox } from './letterbox.ts';
import type { Verdicts } from './verdicts.ts';

/** As much of a lane as sending its batches takes. */
export type OutgoingLane = Pick<Lane, 'backlog' | 'batcher' | 'underWay'>;

export interface SettlementOptions {
  /** The one that the events are of. */
  readonly lane: OutgoingLane;
  readonly journal: Journal;
  readonly books: Books;
  readonly deadLetters: Pick<DeadLetterStore, 'keep'>;
  readonly letterbox: Letterbox;
  readonly verdicts: Verdicts;
  readonly onDelivered: (count: number) => void;
  readonly onDeadLettered: (status: number, excerpt: string) => void;
  readonly onDropped: (reason: DropReason, count: number) => void;
  readonly onStorageFailed: (error: unknown) => void;
}

/** The ends of events: released from the journal, booked, and raised. */
export class Settlement {
  readonly #options: SettlementOptions;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  /** The service took the events. */
  async delivered(batch: Batch): Promise<void> {
    const { books, lane, onDelivered, verdicts } = this.#options;
    const count = batch.events.ends.length;
    lane.underWay.delete(batch);
    verdicts.accepted(count);
    await this.#release(batch);
    books.delivered += count;
    lane.backlog.settle(batch.range);
    onDelivered(count);
  }

  /** The service did not take the events, and nobody wants them. */
  async dropped(batch: Batch): Promise<void> {
    const { lane, onDropped } = this.#options;
    lane.underWay.delete(batch);
    await this.#release(batch);
    lane.backlog.settle(batch.range);
    onDropped('refused', batch.events.ends.length);
  }

  /** The events were tried for so long that nobody wants them any more. */
  async expired(batch: Batch): Promise<void> {
    const { lane, onStorageFailed } = this.#options;
    lane.underWay.delete(batch);
    await lane.batcher.expire(batch.range).catch(onStorageFailed);
  }

  /**
   * Keeps the one event of a batch, which is refused for good; later, where that fails now. False where it cannot be left to
   * that either.
   */
  async deadLettered(batch: Batch, status: number, excerpt: string): Promise<boolean> {
    const { letterbox, verdicts } = this.#options;
    // Counted before it is kept: others are judged meanwhile.
    verdicts.refused();
    const keep = () => this.#keep(batch, status, excerpt);
    if ((await keep()) || letterbox.hold(keep)) return true;
    verdicts.withdraw();
    return false;
  }

  /** False where storage fails. */
  async #keep(batch: Batch, status: number, excerpt: string): Promise<boolean> {
    const { books, deadLetters, lane, onDeadLettered, onStorageFailed } = this.#options;
    try {
      await deadLetters.keep(batch, { status, excerpt });
    } catch (error) {
      onStorageFailed(error);
      return false;
    }
    lane.underWay.delete(batch);
    await this.#release(batch);
    books.deadLettered += 1;
    lane.backlog.settle(batch.range);
    onDeadLettered(status, excerpt);
    return true;
  }

  async #release({ range }: Batch): Promise<void> {
    const { journal, onStorageFailed } = this.#options;
    try {
      if (range.segment !== MEMORY_SEGMENT) await journal.acknowledge(range);
    } catch (error) {
      // The service has the events; another life may send them again.
      onStorageFailed(error);
    }
  }
}
