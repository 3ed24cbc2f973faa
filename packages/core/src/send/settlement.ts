import type { Fate } from '../base/fate.ts';
import type { Journal } from '../keep/journal.ts';
import type { Verdicts } from '../pace/verdicts.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import { MEMORY_SEGMENT } from '../wait/backlog.ts';
import type { Batch } from '../wait/batch.ts';
import type { Lane } from '../wait/lane.ts';
import type { LetterStore } from './letter-store.ts';
import type { Letterbox } from './letterbox.ts';

/** As much of a lane as sending its batches takes. */
export type OutgoingLane = Pick<Lane, 'backlog' | 'batcher' | 'takeNow' | 'underWay'>;

/** The lanes that there are, the one that goes first at first. */
export interface OutgoingLanes {
  readonly all: readonly OutgoingLane[];
}

export interface SettlementOptions {
  readonly journal: Journal;
  readonly books: Books;
  readonly letters: Pick<LetterStore, 'keep'>;
  readonly letterbox: Letterbox;
  readonly verdicts: Verdicts;
  readonly reporter: Pick<Reporter, 'emit' | 'failedAttempt' | 'settled' | 'storageFailed'>;
}

/** The ends of events: released from the journal, booked, and raised. */
export class Settlement {
  readonly #options: SettlementOptions;
  /** The one that the events are of. */
  readonly #lane: OutgoingLane;

  constructor(options: SettlementOptions, lane: OutgoingLane) {
    this.#options = options;
    this.#lane = lane;
  }

  /** The service took the events. */
  async delivered(batch: Batch): Promise<void> {
    this.#options.verdicts.accepted(batch.events.ends.length);
    await this.end(batch, 'delivered');
  }

  /** The events were tried for so long that nobody wants them any more. */
  async expired(batch: Batch): Promise<void> {
    this.#lane.underWay.delete(batch);
    await this.#lane.batcher.expire(batch).catch(this.#options.reporter.storageFailed);
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
    const { letters, reporter } = this.#options;
    try {
      await letters.keep(batch, { status, excerpt });
    } catch (error) {
      reporter.storageFailed(error);
      return false;
    }
    await this.end(batch, 'deadLettered');
    reporter.emit('deadLettered', { count: 1, status, excerpt });
    return true;
  }

  /** Events have met their end. */
  async end(batch: Batch, fate: Fate): Promise<void> {
    const { journal, reporter } = this.#options;
    const { backlog, underWay } = this.#lane;
    underWay.delete(batch);
    const { range } = batch;
    try {
      if (range.segment !== MEMORY_SEGMENT) await journal.acknowledge(range, fate);
    } catch (error) {
      // The service has the events; another life may send them again.
      reporter.storageFailed(error);
    }
    backlog.settle(batch);
    reporter.settled(fate, batch.events.ends.length);
  }
}
