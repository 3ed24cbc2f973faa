import type { EventBytes } from './base/event-bytes.ts';
import { type Range, rangeLength, without } from './base/range.ts';
import type { Journal, JournalObserver, Reading } from './keep/journal.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Books } from './tell/books.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

interface ObserverOptions {
  readonly waiting: Waiting;
  readonly journal: Journal;
  readonly books: Books;
  readonly admission: Pick<Admission, 'isDenied'>;
  readonly reporter: Reporter;
  /** The journal failed. */
  readonly onFailed: (error: unknown) => void;
  /** There may be something to send. */
  readonly wake: () => void;
}

/** What a tracker does with what its journal tells. */
export function journalObserver(options: ObserverOptions): JournalObserver {
  const { waiting, books, admission, reporter, wake } = options;
  return {
    recovered(range, at, wasSent) {
      if (wasSent) books.maybeDuplicate += rangeLength(range);
      waiting.recovered(range, at, wasSent);
      reporter.recovered('recovered', rangeLength(range));
      if (admission.isDenied) void waiting.purge();
      wake();
    },
    damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
    vanished: (range) => void writeVanished(range, options),
    settled(range, fate) {
      reporter.settled(fate, waiting.drop(range));
      wake();
    },
    failed: reporter.storageFailed,
  };
}

/** Events are gone from storage: those that are in memory are written again, in their place if the journal can do that. */
async function writeVanished(
  all: Range,
  { waiting, journal, onFailed, reporter }: ObserverOptions,
): Promise<void> {
  const known: Reading[] = [];
  let gone = [all];
  for (const { parcel, range, from } of waiting.within(all)) {
    if (!parcel.isInMemory) continue;
    const events: EventBytes = parcel.contents.slice(from, from + rangeLength(range));
    known.push({ events, range });
    gone = gone.flatMap((part) => without(part, range));
  }
  for (const range of gone) reporter.settled('damaged', waiting.drop(range));
  if (journal.restore && known.length > 0) {
    try {
      return await journal.restore(known);
    } catch (error) {
      onFailed(error);
    }
  }
  // As if they had never been written. If they cannot be written now, they are once the journal works.
  for (const { range } of known) waiting.lose(range);
  await waiting.commitAll();
}
