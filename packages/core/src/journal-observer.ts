import { type Range, rangeLength, without } from './base/range.ts';
import type { JournalObserver } from './keep/journal.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

interface ObserverOptions {
  readonly waiting: Waiting;
  readonly admission: Pick<Admission, 'isDenied'>;
  readonly reporter: Reporter;
  /** There may be something to send. */
  readonly wake: () => void;
}

/** What a tracker does with what its journal tells. */
export function journalObserver(options: ObserverOptions): JournalObserver {
  const { waiting, admission, reporter, wake } = options;
  return {
    recovered(range, at) {
      waiting.recovered(range, at);
      reporter.recovered('recovered', rangeLength(range));
      if (admission.isDenied) void waiting.purge();
      wake();
    },
    damaged: (place, bytes) => reporter.emit('damaged', { place, bytes }),
    vanished: (range) => void writeVanished(range, waiting, reporter),
    settled(range, fate) {
      reporter.settled(fate, waiting.drop(range));
      wake();
    },
    failed: reporter.storageFailed,
  };
}

/** Events are gone from storage: those that are in memory are written again, as if they had never been written. */
async function writeVanished(all: Range, waiting: Waiting, reporter: Reporter): Promise<void> {
  const known = [...waiting.within(all)].flatMap(({ parcel, range }) => (parcel.isInMemory ? [range] : []));
  const gone = known.reduce((left, range) => left.flatMap((part) => without(part, range)), [all]);
  for (const range of gone) reporter.settled('damaged', waiting.drop(range));
  for (const range of known) waiting.lose(range);
  // If they cannot be written now, they are once the journal works.
  await waiting.commitAll();
}
