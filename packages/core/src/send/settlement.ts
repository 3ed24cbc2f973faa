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

/** The part of a lane that sending its batches needs. */
export type OutgoingLane = Pick<Lane, 'backlog' | 'batcher' | 'takeNow' | 'underWay'>;

/** All lanes. The first one goes first. */
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

/** Ends events: releases them from the journal, counts them and emits what happened. */
export class Settlement {
  readonly #options: SettlementOptions;
  /** The lane of the events. */
  readonly #lane: OutgoingLane;

  constructor(options: SettlementOptions, lane: OutgoingLane) {
    this.#options = options;
    this.#lane = lane;
  }

  /** The service accepted the events. */
  async delivered(batch: Batch): Promise<void> {
    this.#options.verdicts.accepted(batch.events.ends.length);
    await this.end(batch, 'delivered');
  }

  /** The events became too old before the service accepted them. */
  async expired(batch: Batch): Promise<void> {
    this.#lane.underWay.delete(batch);
    await this.#lane.batcher.expire(batch).catch(this.#options.reporter.storageFailed);
  }

  /**
   * Stores the one event of a batch, which is refused for good, as a dead letter. If storage fails, the letterbox tries again
   * later. Returns false if the letterbox is full.
   */
  async deadLettered(batch: Batch, status: number, excerpt: string): Promise<boolean> {
    const { letterbox, verdicts } = this.#options;
    // Counted before the letter is stored, because others are judged meanwhile.
    verdicts.refused();
    const keep = () => this.#keep(batch, status, excerpt);
    if ((await keep()) || letterbox.hold(keep)) return true;
    verdicts.withdraw();
    return false;
  }

  /** Returns false if storage fails. */
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

  /** The events of a batch have ended. */
  async end(batch: Batch, fate: Fate): Promise<void> {
    const { journal, reporter } = this.#options;
    const { backlog, underWay } = this.#lane;
    underWay.delete(batch);
    const { range } = batch;
    try {
      if (range.segment !== MEMORY_SEGMENT) await journal.acknowledge(range, fate);
    } catch (error) {
      // The release failed, so a later process or tab may send the events again.
      reporter.storageFailed(error);
    }
    backlog.settle(batch);
    reporter.settled(fate, batch.events.ends.length);
  }
}
