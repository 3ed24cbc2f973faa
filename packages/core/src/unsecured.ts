import { type Backlog, MEMORY_SEGMENT } from './backlog.ts';
import type { Batch } from './batch.ts';
import type { EventBytes, Journal, Range } from './journal.ts';

export interface UnsecuredOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  /** Writes events to the journal that it did not take before. Undefined where it still does not. */
  readonly secure: (events: EventBytes) => Promise<Range | undefined>;
}

/** Batches under way that are in memory alone, because the journal failed: it is given them once it works. */
export class Unsecured {
  readonly #options: UnsecuredOptions;
  readonly #batches = new Set<Batch>();

  constructor(options: UnsecuredOptions) {
    this.#options = options;
  }

  /** A batch is under way. */
  add(batch: Batch): void {
    if (batch.range.segment === MEMORY_SEGMENT) this.#batches.add(batch);
  }

  /** A batch has met its end, or goes on in parts. */
  delete(batch: Batch): void {
    this.#batches.delete(batch);
  }

  async secure(): Promise<void> {
    const { backlog, journal, secure } = this.#options;
    for (const batch of this.#batches) {
      const range = await secure(batch.events);
      if (range === undefined) return;
      // Meanwhile its end may have come.
      if (this.#batches.delete(batch)) batch.range = backlog.secure(batch.range, range);
      else await journal.acknowledge(range).catch(() => undefined);
    }
  }

  /** As `secure`, now, on this thread. */
  secureSync(): void {
    const { backlog, journal } = this.#options;
    for (const batch of this.#batches) {
      const range = journal.appendSync?.(batch.events);
      if (range === undefined) return;
      this.#batches.delete(batch);
      batch.range = backlog.secure(batch.range, range);
    }
  }
}
