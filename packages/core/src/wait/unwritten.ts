import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Unwritten } from '../keep/group-commit.ts';
import type { Entry } from '../keep/journal-writer.ts';
import type { Line } from './line.ts';
import type { Parcel } from './parcel.ts';
import { NOWHERE } from './places.ts';
import type { Queue } from './queue.ts';

/** The events that no journal has: those of the ring buffers, and those that the journal did not take while it failed. */
export class UnwrittenEvents implements Unwritten {
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
      const { filling, unwritten } = queue;
      const first = [...unwritten].find(({ places }) => places.has(NOWHERE)) ?? filling;
      if (first) oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, first.at ?? 0);
    }
    return oldest;
  }

  next(limit: Limit, isUrgent: boolean): Entry | undefined {
    for (const { queue } of this.#lines) {
      const parcel = isUrgent && !queue.isHigh ? undefined : queue.nextToWrite();
      const entry = parcel && entryOf(queue, parcel, limit);
      if (entry) return entry;
    }
    return undefined;
  }
}

/** Events of a parcel that are given to the journal. */
export interface Handed extends Entry {
  readonly parcel: Parcel;
  readonly queue: Queue;
}

/** Hands the next unwritten events of a parcel to the journal. Undefined if there are none. */
export function entryOf(queue: Queue, parcel: Parcel, limit: Limit): Handed | undefined {
  const events = parcel.hand(limit);
  if (!events) return undefined;
  const appended = (range?: Range) => {
    parcel.places.appended(range);
    queue.changed(parcel);
  };
  return {
    events,
    parcel,
    queue,
    placed(range) {
      if (parcel.state === 'ended') return range;
      appended(range);
      return undefined;
    },
    handBack: appended,
  };
}
