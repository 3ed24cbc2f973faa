import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Handed } from '../keep/journal-writer.ts';
import type { Line } from './line.ts';
import type { Parcel } from './parcel.ts';
import { FORSAKEN, HANDED, NOWHERE } from './places.ts';
import type { Queue } from './queue.ts';

/** The events that no journal has: those of the ring buffers, and those that the journal did not take while it failed. */
export class UnwrittenEvents {
  readonly #lines: readonly Line[];

  /** @param lines Those that go first are first. */
  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  get parcels(): number {
    let count = 0;
    for (const { queue } of this.#lines) count += queue.unwritten.size;
    return count;
  }

  get oldestAt(): number | undefined {
    let oldest: number | undefined;
    for (const { queue } of this.#lines) {
      const { ring, unwritten } = queue;
      const first = [...unwritten].find(({ places }) => places.has(NOWHERE)) ?? ring.filling;
      if (first) oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, first.at ?? 0);
    }
    return oldest;
  }

  next(limit: Limit, isUrgent: boolean): Handed | undefined {
    for (const { queue } of this.#lines) {
      const parcel = isUrgent && !queue.isHigh ? undefined : queue.nextToWrite();
      const entry = parcel && entryOf(queue, parcel, limit);
      if (entry) return entry;
    }
    return undefined;
  }
}

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
