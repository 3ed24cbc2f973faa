import type { EventBytes } from './base/event-bytes.ts';
import { type Range, rangeLength, without } from './base/range.ts';
import type { Journal, Reading } from './keep/journal.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

export interface VanishedOptions {
  readonly waiting: Waiting;
  readonly journal: Journal;
  readonly onFailed: (error: unknown) => void;
  readonly reporter: Pick<Reporter, 'settled'>;
}

/** A segment is gone from storage: the events of it that are in memory are written again, in their place if the journal can do that. */
export async function writeVanished(
  segment: number,
  { waiting, journal, onFailed, reporter }: VanishedOptions,
): Promise<void> {
  const all: Range = { segment, from: 0, to: Number.POSITIVE_INFINITY };
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
