import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Handed } from '../keep/unwritten.ts';
import type { Parcel } from './parcel.ts';
import { FORSAKEN, HANDED, NOWHERE } from './places.ts';
import type { Queue } from './queue.ts';

/** Hands the next unwritten events of a parcel to the journal. Undefined if there are none. */
export function entryOf(queue: Queue, parcel: Parcel, limit: Limit): Handed | undefined {
  const events = parcel.hand(limit);
  if (!events) return undefined;
  const { places } = parcel;
  const appended = (range?: Range) => {
    places.appended(range);
    queue.changed(parcel);
  };
  const forsake = (...marks: readonly number[]) => {
    for (const mark of marks) for (const span of places.marked(mark)) places.mark(span, FORSAKEN);
    queue.changed(parcel);
  };
  return {
    events,
    isLast: queue.isHigh,
    placed(range) {
      if (parcel.isEnded) return range;
      appended(range);
      return undefined;
    },
    handBack: appended,
    drop() {
      // Its events have ended, or go on in other parcels.
      if (parcel.isEnded) return 0;
      // In a request, or until its next try: it goes on in memory.
      if (queue.out.has(parcel)) {
        forsake(HANDED);
        return 0;
      }
      return queue.end([parcel], () => places.marked(HANDED));
    },
    forsake: () => forsake(NOWHERE, HANDED),
  };
}
