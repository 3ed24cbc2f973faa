import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol/toolbox';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { SizeLimit } from '../pace/limits.ts';
import { Contents, type Memory } from './contents.ts';
import { inPlaceOf, Parcel } from './parcel.ts';
import type { ParcelList } from './parcel-list.ts';
import { Places } from './places.ts';
import type { Queue } from './queue.ts';

/** A parcel in memory may be so much larger than the limit: the halves of what was too large differ a little in size. */
const TOLERANCE = 1.25;

interface ReaderOptions {
  readonly queue: Queue;
  readonly journal: Journal;
  readonly memory: Memory;
  readonly sizeLimit: Pick<SizeLimit, 'refuses'>;
  /** Stored events that could not be read back intact end. */
  readonly damaged: (range: Range) => Promise<void>;
}

/**
 * Takes the first old events that may be sent, joined up to one batch. Resolves to undefined if they changed meanwhile: ask again.
 * Rejects with a StorageError if the journal fails; then all is as it was.
 */
type ReadOld = (limit: Limit, busy?: number) => Promise<Parcel | undefined>;

/** Makes what reads stored events back from the journal, as parcels of the size of a batch. */
export function createReader(options: ReaderOptions): ReadOld {
  const { damaged, journal, memory, queue, sizeLimit } = options;

  /** Takes one parcel in memory, or stored ones whose events fit one batch by count. */
  function shift({ maxEvents, maxBytes }: Limit, busy?: number): Parcel[] {
    const parcels: Parcel[] = [];
    let left = maxEvents;
    for (const next of queue.oldReady(busy)) {
      if (left <= 0 || (parcels.length > 0 && next.isInMemory)) break;
      parcels.push(next);
      left = next.isInMemory ? 0 : left - next.count;
    }
    left = maxEvents;
    return parcels.map((parcel) => {
      queue.takeOld(parcel);
      const most = Math.min(left, parcel.count);
      left -= most;
      const count = parcel.isInMemory ? fitting(parcel, most, maxBytes) : most;
      const [first, rest] = count < parcel.count ? queue.split(parcel, count) : [parcel];
      if (rest) queue.old.unshift(rest);
      return first;
    });
  }

  /** How many events of a parcel in memory to take. Parts have about the same size: a small rest would be a request of its own. */
  function fitting({ contents, count }: Parcel, maxEvents: number, maxBytes: number): number {
    const isRefused = sizeLimit.refuses(contents.length + BATCH_OVERHEAD_BYTES);
    const most = isRefused ? maxBytes : maxBytes * TOLERANCE;
    if (count <= maxEvents && contents.length <= most) return count;
    const parts = Math.ceil(count / contents.slice(0, maxEvents, maxBytes).ends.length);
    return Math.ceil(count / parts);
  }

  /** The first of these events were read. The others wait before all others. */
  function parcelOf(taken: Parcel[], contents: Contents): Parcel {
    const places = new Places();
    const parts: { readonly epoch: number; readonly count: number }[] = [];
    for (const parcel of taken) {
      const count = Math.min(parcel.count, contents.count - places.count);
      const span = { from: 0, to: count };
      places.append(parcel.places.slice(span));
      parcel.places.remove(span);
      if (count > 0) parts.push({ epoch: parcel.epoch, count });
    }
    const parcel = inPlaceOf(taken, new Parcel(places, queue.epochs.join(parts), queue.isHigh, contents));
    for (const left of taken.reverse()) putBack(queue.old, left);
    return queue.taken(parcel);
  }

  async function read(
    taken: readonly Parcel[],
    limit: Limit,
    isUnchanged: () => boolean,
  ): Promise<Contents | undefined> {
    const places = new Places();
    for (const parcel of taken) places.append(parcel.places);
    const contents = new Contents(memory, 0);
    for (const range of places.ranges) {
      const maxBytes = limit.maxBytes - (contents.count > 0 ? contents.length + 1 : 0);
      const maxEvents = limit.maxEvents - contents.count;
      if (maxEvents < 1 || maxBytes < 1) break;
      const { events, range: found } = await journal.read(range, { maxEvents, maxBytes });
      if (rangeLength(found) < 1) throw new StorageError('the journal found nothing');
      if (!isUnchanged()) return undefined;
      const count = events.ends.length;
      // One event may be larger than what is left of the batch.
      if (contents.count > 0 && (count === 0 || events.bytes.length > maxBytes)) break;
      if (count === 0) {
        await damaged(found);
        return undefined;
      }
      add(contents, events, limit);
      if (count < rangeLength(range)) break;
    }
    return contents;
  }

  function add(contents: Contents, events: EventBytes, limit: Limit): void {
    const needed = contents.length + 1 + events.bytes.length;
    if (contents.spare < events.bytes.length + 1)
      contents.resize(Math.max(needed, contents.count === 0 ? 0 : Math.min(limit.maxBytes, needed * 2)));
    contents.addAll(events);
  }

  return async (limit, busy) => {
    const taken = shift(limit, busy);
    const [first] = taken;
    if (!first) return undefined;
    if (first.isInMemory) return queue.taken(first);
    queue.reading = taken;
    const counts = taken.map(({ count }) => count);
    const isUnchanged = () => taken.every(({ count }, index) => count === counts[index]);
    let contents: Contents | undefined;
    try {
      contents = await read(taken, limit, isUnchanged);
    } finally {
      queue.reading = [];
      if (!contents) for (const parcel of taken.reverse()) putBack(queue.old, parcel);
    }
    return contents && parcelOf(taken, contents);
  };
}

function putBack(list: ParcelList, parcel: Parcel): void {
  if (parcel.count > 0) list.unshift(parcel);
  else parcel.state = 'ended';
}
