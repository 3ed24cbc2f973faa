import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Memory } from './contents.ts';
import { Contents } from './contents.ts';
import { Parcel } from './parcel.ts';
import type { ParcelList } from './parcel-list.ts';
import type { Queue } from './queue.ts';
import { Runs } from './runs.ts';

export interface ReaderOptions {
  readonly queue: Queue;
  readonly journal: Journal;
  readonly memory: Memory;
  /** Stored events that could not be read back intact end. */
  readonly damaged: (range: Range) => Promise<void>;
}

/** Reads stored events back from the journal, as parcels of the size of a batch. */
export class Reader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * Takes the first events of a list, joined up to one batch. Resolves to undefined if they changed meanwhile: ask again.
   * Rejects with a StorageError if the journal fails; then the list is as it was.
   */
  async take(list: ParcelList, limit: Limit): Promise<Parcel | undefined> {
    const { queue } = this.#options;
    const taken = this.#shift(list, limit);
    const [first] = taken;
    if (first === undefined) return undefined;
    if (taken.length === 1 && first.isInMemory) return queue.taken(first);
    queue.reading = taken;
    const counts = taken.map(({ count }) => count);
    let read: Parcel | undefined;
    try {
      read = await this.#read(taken, limit, () => taken.every(({ count }, index) => count === counts[index]));
    } finally {
      queue.reading = [];
      if (read) {
        read.isSent = first.isSent;
        queue.taken(read);
      }
      this.#putBack(list, taken, read?.runs.length ?? 0);
    }
    return read;
  }

  /** Takes one parcel in memory, or stored ones whose events fit one batch by count. */
  #shift(list: ParcelList, { maxEvents, maxBytes }: Limit): Parcel[] {
    const { queue, memory } = this.#options;
    const taken: Parcel[] = [];
    let left = maxEvents;
    for (let next = list.first; next && left > 0; next = list.first) {
      const isAlone = next.isInMemory || next.isSent;
      if (taken.length > 0 && isAlone) break;
      queue.shift(list);
      const most = Math.min(left, next.count);
      const count = next.isInMemory ? next.contents.slice(0, most, maxBytes).ends.length : most;
      const [first, rest] = count < next.count ? next.split(count, memory) : [next];
      taken.push(first);
      if (rest) list.unshift(rest);
      if (rest && !rest.isWritten) queue.loose.add(rest);
      if (isAlone) break;
      left -= count;
    }
    return taken;
  }

  /** The events that are not read wait before all others. */
  #putBack(list: ParcelList, taken: readonly Parcel[], done: number): void {
    let end = taken.reduce((total, { count }) => total + count, 0);
    for (const parcel of taken.toReversed()) {
      end -= parcel.count;
      const read = Math.max(0, Math.min(parcel.count, done - end));
      parcel.dropFirst(read);
      parcel.runs.compact();
      if (parcel.count > 0) list.unshift(parcel);
      else parcel.state = 'ended';
    }
  }

  async #read(
    taken: readonly Parcel[],
    limit: Limit,
    isUnchanged: () => boolean,
  ): Promise<Parcel | undefined> {
    const { journal, queue } = this.#options;
    const runs = new Runs();
    for (const parcel of taken) runs.append(parcel.runs);
    const contents = new Contents(new Uint8Array(0));
    for (const range of runs.ranges) {
      const maxBytes = limit.maxBytes - (contents.count > 0 ? contents.length + 1 : 0);
      const maxEvents = limit.maxEvents - contents.count;
      if (maxEvents < 1 || maxBytes < 1) break;
      const { events, range: found } = await journal.read(range, { maxEvents, maxBytes });
      if (rangeLength(found) < 1) throw new StorageError('the journal found nothing of what it holds');
      if (!isUnchanged()) return undefined;
      const count = events.ends.length;
      // One event may be larger than what is left of the batch.
      if (contents.count > 0 && (count === 0 || events.bytes.length > maxBytes)) break;
      if (count === 0) {
        await this.#options.damaged(found);
        return undefined;
      }
      this.#add(contents, events, limit);
      if (count < rangeLength(range)) break;
    }
    return new Parcel(runs.slice(0, contents.count), queue.isHigh, contents);
  }

  #add(contents: Contents, events: EventBytes, limit: Limit): void {
    const { memory } = this.#options;
    const needed = contents.length + 1 + events.bytes.length + BATCH_OVERHEAD_BYTES;
    if (contents.spare < events.bytes.length + 1) {
      const most = Math.max(needed, contents.count === 0 ? 0 : Math.min(limit.maxBytes, needed * 2));
      contents.move(memory.take(most));
    }
    contents.addAll(events);
  }
}
