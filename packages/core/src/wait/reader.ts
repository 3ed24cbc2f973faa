import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol/toolbox';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { SizeLimit } from '../pace/limits.ts';
import { Contents, type Memory } from './contents.ts';
import type { Parcel } from './parcel.ts';
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

  /** Takes what fits one batch of a parcel in memory. */
  function takeOf(parcel: Parcel, limit: Limit): Parcel {
    queue.takeOld(parcel);
    const [first, rest] = queue.split(parcel, fitting(parcel, limit));
    if (rest) queue.old.unshift(rest);
    return queue.taken(first);
  }

  /** How many events of a parcel in memory to take. Parts have about the same size: a small rest would be a request of its own. */
  function fitting({ contents, count }: Parcel, { maxBytes, maxEvents }: Limit): number {
    const isRefused = sizeLimit.refuses(contents.length + BATCH_OVERHEAD_BYTES);
    const most = isRefused ? maxBytes : maxBytes * TOLERANCE;
    if (count <= maxEvents && contents.length <= most) return count;
    const parts = Math.ceil(count / contents.slice(0, maxEvents, maxBytes).ends.length);
    return Math.ceil(count / parts);
  }

  /** The first stored parcels that fit one batch by count. */
  function stored(maxEvents: number, busy?: number): Parcel[] {
    const parcels: Parcel[] = [];
    let left = maxEvents;
    for (const parcel of queue.oldReady(busy)) {
      if (left <= 0 || parcel.isInMemory) break;
      parcels.push(parcel);
      left -= parcel.count;
    }
    return parcels;
  }

  /** The first events of these parcels were read: takes them. */
  function take(parcels: readonly Parcel[], contents: Contents): Parcel {
    const read: Parcel[] = [];
    let left = contents.count;
    for (const parcel of parcels) {
      const count = Math.min(parcel.count, left);
      if (count === 0) break;
      left -= count;
      read.push(parcel.cut({ from: 0, to: count }));
      queue.old.shift(parcel, count);
    }
    return queue.join(read, contents);
  }

  async function read(parcels: readonly Parcel[], limit: Limit): Promise<Contents | undefined> {
    const places = new Places();
    for (const parcel of parcels) places.append(parcel.places);
    const before = parcels.map((parcel) => parcel.places.changes);
    const isUnchanged = () => parcels.every((parcel, index) => parcel.places.changes === before[index]);
    const contents = new Contents(memory, 0);
    for (const range of places.ranges) {
      const maxBytes = limit.maxBytes - (contents.count > 0 ? contents.length + 1 : 0);
      const maxEvents = limit.maxEvents - contents.count;
      if (maxEvents < 1 || maxBytes < 1) break;
      const reading = await journal.read(range, { maxEvents, maxBytes }).catch((error: unknown) => {
        if (contents.count === 0) throw error;
        // What was read is sent. Next time this range comes first.
      });
      if (!reading) break;
      const { events, range: found } = reading;
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
    const [first] = queue.oldReady(busy);
    if (!first) return undefined;
    if (first.isInMemory) return takeOf(first, limit);
    const parcels = stored(limit.maxEvents, busy);
    const contents = await read(parcels, limit);
    return contents && take(parcels, contents);
  };
}
