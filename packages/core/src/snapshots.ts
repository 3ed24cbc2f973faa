import type { Admission } from './admission.ts';
import type { Clock } from './base/clock.ts';
import type { Dispatch } from './dispatch.ts';
import type { Journal } from './keep/journal.ts';
import type { LetterStore } from './send/letter-store.ts';
import type { Books } from './tell/books.ts';
import { RateMeter } from './tell/rate-meter.ts';
import type { Reporter } from './tell/reporter.ts';
import type { FlushReport, TrackerStats } from './tell/stats.ts';
import type { Lanes } from './wait/lanes.ts';

export interface SnapshotsOptions {
  readonly books: Books;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly journal: Journal;
  readonly letters: LetterStore;
  readonly dispatch: Dispatch;
  readonly reporter: Reporter;
  readonly admission: Pick<Admission, 'pending' | 'held' | 'unwritten'>;
}

/** Builds what `stats()` returns from the state of all stages. */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #acceptedRate = new RateMeter();
  readonly #deliveredRate = new RateMeter();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.sample();
  }

  /** Where events are kept now. */
  get journalKind(): string {
    const { journal, lanes } = this.#options;
    return lanes.failing ? 'memory' : journal.kind;
  }

  /** Samples the counters from which the rates are computed. Cheap to call. */
  sample(): void {
    const { books, clock } = this.#options;
    const now = clock.now();
    this.#acceptedRate.sample(books.accepted, now);
    this.#deliveredRate.sample(books.delivered, now);
  }

  /** The counts of all events so far. */
  report(): FlushReport {
    const { admission, books, lanes } = this.#options;
    const { delivered, deadLettered, droppedTotal } = books;
    const pending = lanes.waiting.pending + admission.pending;
    return { delivered, deadLettered, dropped: droppedTotal, pending };
  }

  take(): TrackerStats {
    const { admission, books, clock, dispatch, journal, lanes, letters, reporter } = this.#options;
    const { pending, volatile, stored, inFlight, bytes, oldestAt } = lanes.waiting;
    const now = clock.now();
    this.sample();
    return {
      ...books,
      dropped: { ...books.dropped },
      pending: pending + admission.pending,
      unwritten: volatile + (journal.unsaved ?? 0) + admission.unwritten,
      held: admission.held?.pending ?? 0,
      stored,
      inFlight,
      memoryBytes: bytes,
      journalBytes: journal.bytes,
      deadLetters: { kept: letters.count, bytes: letters.bytes },
      oldestAgeMs: oldestAt === undefined ? undefined : Math.max(0, now - oldestAt),
      journal: this.journalKind,
      ...dispatch.stats,
      rates: {
        acceptedPerSecond: this.#acceptedRate.perSecond(books.accepted, now),
        deliveredPerSecond: this.#deliveredRate.perSecond(books.delivered, now),
      },
      lastError: reporter.lastError,
    };
  }
}
