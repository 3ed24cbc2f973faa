import type { Clock } from '@sluice/protocol/toolbox';
import type { Dispatch } from './dispatch.ts';
import type { Journal } from './keep/journal.ts';
import type { LetterArchive } from './parts/dead-letters/letter-archive.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Books } from './tell/books.ts';
import type { RateMeter } from './tell/rate-meter.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';
import type { Waiting } from './wait/waiting.ts';

/** Where the figures come from. */
interface SnapshotStages {
  readonly books: Books;
  readonly clock: Clock;
  readonly waiting: Waiting;
  readonly journal: Journal;
  readonly letters: Pick<LetterArchive, 'kept' | 'journal'>;
  readonly dispatch: Dispatch;
  readonly reporter: Reporter;
  readonly rates: RateMeter;
  /** Where events are kept now. */
  readonly journalKind: () => string;
  readonly admission: Pick<Admission, 'pending' | 'held' | 'unwritten'>;
}

/** What `stats()` returns. */
export function takeSnapshot(stages: SnapshotStages): TrackerStats {
  const { admission, books, clock, dispatch, journal, letters, rates, reporter, waiting } = stages;
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
    journal: stages.journalKind(),
    ...dispatch.stats,
    rates: rates.perSecond(books, now),
    lastError: reporter.lastError,
  };
}
