import type { Clock } from '@sluice/protocol/toolbox';
import type { Dispatch } from './dispatch.ts';
import type { Journal } from './keep/journal.ts';
import type { LetterKeeper } from './parts/dead-letters/letter-keeper.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Books } from './tell/books.ts';
import { RateMeter } from './tell/rate-meter.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';
import type { Waiting } from './wait/waiting.ts';

interface SnapshotsOptions {
  readonly books: Books;
  readonly clock: Clock;
  readonly waiting: Waiting;
  readonly journal: Journal;
  readonly letters: Pick<LetterKeeper, 'kept' | 'journal'>;
  readonly dispatch: Dispatch;
  readonly reporter: Reporter;
  readonly admission: Pick<Admission, 'pending' | 'held' | 'unwritten'>;
}

/** Builds what `stats()` returns from the state of all stages. */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #rates = new RateMeter();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.sample();
  }

  /** Where events are kept now. */
  get journalKind(): string {
    const { journal, waiting } = this.#options;
    return waiting.commit.isFailing ? 'memory' : journal.kind;
  }

  /** Samples the counters from which the rates are computed. Cheap to call. */
  sample(): void {
    const { books, clock } = this.#options;
    this.#rates.sample(books, clock.now());
  }

  take(): TrackerStats {
    const { admission, books, clock, dispatch, journal, letters, reporter, waiting } = this.#options;
    const { pending, volatile, stored, inFlight, bytes, oldestAt } = waiting;
    const now = clock.now();
    return {
      ...books,
      dropped: { ...books.dropped },
      pending: pending + admission.pending,
      unwritten: volatile + (journal.unsaved ?? 0) + admission.unwritten,
      held: admission.held,
      stored,
      inFlight,
      memoryBytes: bytes,
      journalBytes: journal.bytes,
      deadLetters: { kept: letters.kept.count, bytes: letters.journal.bytes },
      oldestAgeMs: oldestAt === undefined ? undefined : Math.max(0, now - oldestAt),
      journal: this.journalKind,
      ...dispatch.stats,
      rates: this.#rates.perSecond(books, now),
      lastError: reporter.lastError,
    };
  }
}
