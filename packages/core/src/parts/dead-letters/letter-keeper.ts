import type { Clock } from '../../base/clock.ts';
import { type Range, rangeLength } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import type { Journal } from '../../keep/journal.ts';
import type { LetterStore, Refusal } from '../../send/letter-store.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Batch } from '../../wait/batch.ts';
import { writeLetter } from './dead-letter.ts';

/** Bytes that a letter takes in storage beside its own. */
const OVERHEAD_BYTES = 64;

export interface LetterKeeperOptions {
  /** Called when it is first needed: most trackers never have a dead letter. */
  readonly createJournal: () => Journal;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly reporter: Pick<Reporter, 'emit' | 'storageFailed'>;
}

/** Stores dead letters within `maxBytes`: the oldest are dropped first. To read them later, the dead-letters part is needed. */
export class LetterKeeper implements LetterStore {
  readonly #options: LetterKeeperOptions;
  /** Where the letters are, oldest first. */
  #kept: Range[] = [];
  #journal: Journal | undefined;
  readonly #turns = new Turns();

  constructor(options: LetterKeeperOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#kept.reduce((count, range) => count + rangeLength(range), 0);
  }

  get bytes(): number {
    return this.#journal?.bytes ?? 0;
  }

  keep({ events }: Pick<Batch, 'events'>, refusal: Refusal): Promise<void> {
    return this.#turns.take(() => this.#keep(events.bytes, refusal));
  }

  clear(): Promise<number> {
    return this.#turns.take(async () => {
      const journal = await this.#open();
      const { count } = this;
      for (const range of this.#kept.splice(0)) await journal.acknowledge(range);
      return count;
    });
  }

  close(): Promise<void> {
    return this.#turns.take(async () => this.#journal?.close());
  }

  async #keep(event: Uint8Array, refusal: Refusal): Promise<void> {
    const { clock, maxBytes } = this.#options;
    const now = clock.now();
    const letter = writeLetter(event, refusal, now);
    const room = maxBytes - letter.length - OVERHEAD_BYTES;
    // A letter that can never fit must not push out all others.
    if (room < 0) return this.#dropped(1);
    const journal = await this.#open();
    while (journal.bytes > room) {
      const oldest = this.#kept.shift();
      if (oldest === undefined) return this.#dropped(1);
      await journal.acknowledge(oldest);
      this.#dropped(rangeLength(oldest));
    }
    const range = await journal.append({
      bytes: letter,
      ends: Uint32Array.of(letter.length),
      times: Float64Array.of(now),
    });
    try {
      await journal.sync();
    } catch (error) {
      // The event stays where it was, and is tried again.
      await journal.acknowledge(range).catch(() => undefined);
      throw error;
    }
    this.#kept.push(range);
  }

  #dropped(count: number): void {
    this.#options.reporter.emit('deadLettersDropped', { reason: 'full', count });
  }

  async #open(): Promise<Journal> {
    const { createJournal, reporter } = this.#options;
    if (this.#journal !== undefined) return this.#journal;
    const journal = createJournal();
    this.#kept = [];
    try {
      await journal.open({
        recovered: (range) => this.#kept.push(range),
        damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
        failed: reporter.storageFailed,
      });
    } catch (error) {
      await journal.close();
      throw error;
    }
    this.#journal = journal;
    return journal;
  }
}
