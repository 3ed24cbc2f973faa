import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Contents, type Memory, type TextWriter } from './contents.ts';
import { freeByLane, lanesOf } from './lanes.ts';
import type { Parcel } from './parcel.ts';
import type { ParcelList } from './parcel-list.ts';
import { Queue } from './queue.ts';
import type { RingBuffer } from './ring-buffer.ts';

/** Stored events that could not be read are tried again after this time, in milliseconds. */
const HELD_MS = 1_000;
/** A full ring buffer has at least this many parcels, so that it is written before it is full. */
const PARTS = 8;
/** The most events of one request, however small they are. */
const MOST_EVENTS = 4_096;

interface LineOptions {
  readonly settings: {
    readonly buffer: Limit;
    /** Bounds of a batch, and how long an event may wait for others, in milliseconds. */
    readonly batch: Limit & { readonly maxWaitMs: number };
    /** `strict`: no event may overtake another. */
    readonly ordering: string;
    readonly isOrdered: boolean;
  };
  readonly journal: Journal;
  readonly text: TextWriter;
  readonly memory: Memory;
  readonly epochs: Epochs;
  /** As for `Queue`. */
  readonly denied: () => AbortSignal;
  readonly clock: Clock;
  /** The most that the service takes in a request, as far as that is known. */
  readonly limits: { readonly most: Limit };
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Whether events are due now, without a full batch. */
  readonly isUrgent: () => boolean;
  /** Whether events may be sent that no journal has, because it fails. */
  readonly sendsUnwritten: () => boolean;
  /** Stored events that could not be read back intact end. */
  readonly damaged: (range: Range) => Promise<void>;
  readonly onDue: () => void;
}

/**
 * One priority: what waits, and what decides when it is sent. Fresh events are due by count, bytes or age, stored ones at once. If
 * both wait they take turns, so that neither starves.
 */
export class Line {
  readonly queue: Queue;
  readonly #options: LineOptions;
  readonly #isStrict: boolean;
  readonly #isOrdered: boolean;
  /** Rings when the oldest fresh event has waited long enough. */
  readonly #age: Alarm;
  /** Set while stored events are left alone, because they could not be read. */
  readonly #hold: Alarm;
  #storedIsNext = true;

  constructor(options: LineOptions, isHigh: boolean) {
    const { clock, journal, onDue, settings } = options;
    const { batch, buffer, isOrdered } = settings;
    const { maxBytes, maxEvents } = journal.groupLimit;
    const parcel: Limit = {
      maxEvents: Math.min(batch.maxEvents, maxEvents, Math.ceil(buffer.maxEvents / PARTS)),
      maxBytes: Math.min(batch.maxBytes, maxBytes, Math.ceil(buffer.maxBytes / PARTS)),
    };
    this.#options = options;
    this.#isStrict = settings.ordering === 'strict';
    this.#isOrdered = isOrdered;
    this.queue = new Queue({ ...options, isHigh, isOrdered, limit: buffer, parcel });
    this.#age = new Alarm(clock, onDue);
    this.#hold = new Alarm(clock, onDue);
  }

  /** Whether anything may be sent, due or not. What cannot be read now may not. */
  get hasFree(): boolean {
    const { parcels } = this.#ready({ maxEvents: 1, maxBytes: 1 }, true);
    return parcels.length > 0 || (!this.#hold.isSet && this.#oldReady(1).length > 0);
  }

  /**
   * Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due; then `onDue` is called when fresh
   * events become due by their age. Never rejects.
   *
   * @param isNewest If order does not count, the newest one of fresh events.
   */
  async next(maxEvents: number, isNewest: boolean = false): Promise<Parcel | undefined> {
    try {
      return await this.#next(maxEvents, isNewest);
    } catch (error) {
      return this.#leaveStored(error) ? this.#next(maxEvents, isNewest) : undefined;
    }
  }

  /** Drops the events that were accepted before a time. Never rejects. @param end Ends a parcel of them. */
  async dropExpired(before: number, end: (parcel: Parcel) => Promise<void>): Promise<void> {
    for (let next = await this.#nextExpired(before); next; next = await this.#nextExpired(before))
      await end(next);
  }

  stop(): void {
    this.#age.stop();
    this.#hold.stop();
  }

  /** The parcels of the ring buffer that may be sent, up to one batch. @param isUnwritten Also those that the journal does not have. */
  #ready({ maxEvents, maxBytes }: Limit, isUnwritten: boolean) {
    const { old, out, ring } = this.queue;
    const parcels: Parcel[] = [];
    let [count, bytes] = [0, 0];
    const mayGo = ({ isWritten }: Parcel) => isUnwritten || isWritten;
    const busy = () => lanesOf(out) | lanesOf(old);
    for (const parcel of this.#isOrdered ? freeByLane(ring.parcels, busy(), mayGo) : ring.parcels) {
      if (!mayGo(parcel)) break;
      parcels.push(parcel);
      count += parcel.count;
      bytes += parcel.contents.length + 1;
      if (count >= maxEvents || bytes > maxBytes) return { parcels, isFull: true };
    }
    return { parcels, isFull: false };
  }

  /** The first old parcels that may be sent, with up to so many events. */
  #oldReady(maxEvents: number): Parcel[] {
    const { old, out } = this.queue;
    const parcels: Parcel[] = [];
    let left = maxEvents;
    for (const parcel of this.#isOrdered ? freeByLane(old, lanesOf(out)) : old) {
      parcels.push(parcel);
      left -= parcel.count;
      if (left <= 0) break;
    }
    return parcels;
  }

  async #next(maxEvents: number, isNewest: boolean): Promise<Parcel | undefined> {
    const { sendsUnwritten } = this.#options;
    const { queue } = this;
    const limit = this.#limitOf(maxEvents);
    for (;;) {
      const hasFresh = this.#freshIsDue();
      const isHeld = this.#hold.isSet;
      if (this.#isStrict && queue.old.count > 0 && isHeld) return undefined;
      const old = isHeld ? [] : this.#oldReady(limit.maxEvents);
      if ((this.#isStrict || this.#storedIsNext || !hasFresh) && old.length > 0) {
        this.#storedIsNext = false;
        await this.#read(old, limit);
        // They may have changed meanwhile.
        const ready = this.#oldReady(limit.maxEvents);
        const [first] = ready;
        const parcel = queue.take(queue.old, ready, first?.wasTaken ? this.#partOf(first, limit) : limit);
        if (parcel) return parcel;
      } else if (hasFresh) {
        this.#storedIsNext = true;
        this.#age.cancel();
        const isUnwritten = sendsUnwritten();
        return isNewest && !this.#isOrdered && !this.#isStrict
          ? queue.takeNewest(isUnwritten)
          : queue.take(queue.ring, this.#ready(limit, isUnwritten).parcels, limit);
      } else {
        return undefined;
      }
    }
  }

  #limitOf(maxEvents: number): Limit {
    const { limits, settings } = this.#options;
    const { batch } = settings;
    return {
      maxEvents: Math.min(MOST_EVENTS, batch.maxEvents, maxEvents, limits.most.maxEvents),
      maxBytes: Math.max(1, Math.min(batch.maxBytes, limits.most.maxBytes)),
    };
  }

  #freshIsDue(): boolean {
    const { clock, isUrgent, sendsUnwritten, settings } = this.#options;
    const { maxWaitMs } = settings.batch;
    const { parcels, isFull } = this.#ready(this.#limitOf(Number.POSITIVE_INFINITY), sendsUnwritten());
    const [first] = parcels;
    if (!first) return false;
    if (isFull || this.queue.isHigh || isUrgent()) return true;
    const waitMs = (first.at ?? 0) + maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > maxWaitMs) return true;
    // Another one may be the first now.
    this.#age.cancel();
    this.#age.set(waitMs);
    return false;
  }

  /** How much to take of a parcel that goes again. Parts have about the same size: a small rest would be a request of its own. */
  #partOf({ contents, count }: Parcel, { maxBytes, maxEvents }: Limit): Limit {
    const isFitting = count <= maxEvents && contents.length <= maxBytes;
    const parts = isFitting ? 1 : Math.ceil(count / contents.slice(0, maxEvents, maxBytes).ends.length);
    return { maxEvents: Math.ceil(count / parts), maxBytes: Number.POSITIVE_INFINITY };
  }

  /** Takes the first events if they are too old. Undefined if they are not. */
  async #nextExpired(before: number): Promise<Parcel | undefined> {
    const { old, ring } = this.queue;
    if (this.#hold.isSet || this.#hold.isStopped) return undefined;
    try {
      for (let { first } = old; first && (first.at ?? before - 1) < before; { first } = old) {
        await this.#read([first], this.#options.settings.batch);
        if (old.first?.isInMemory) break;
      }
    } catch (error) {
      this.#leaveStored(error);
    }
    const expired = this.#takeExpired(old, before);
    // The oldest of the ring buffer may have to wait until it is written.
    if (expired || !(ring.first?.isWritten || this.#options.sendsUnwritten())) return expired;
    return this.#takeExpired(ring, before);
  }

  /** Takes the events of the first parcel that are too old, if it is in memory. Undefined if there are none. */
  #takeExpired(list: ParcelList | RingBuffer, before: number): Parcel | undefined {
    const { first } = list;
    if (!first?.isInMemory) return undefined;
    const { contents } = first;
    let count = 0;
    while ((contents.timeOf(count) ?? before) < before) count += 1;
    return this.queue.take(list, [first], { maxEvents: count, maxBytes: Number.POSITIVE_INFINITY });
  }

  /** Reads what is stored of these old parcels, the first ones, up to one batch. Rejects with a StorageError if the journal fails. */
  async #read(parcels: readonly Parcel[], limit: Limit): Promise<void> {
    let { maxBytes, maxEvents } = limit;
    for (const parcel of parcels) {
      if (parcel.wasTaken || maxEvents < 1 || maxBytes < 1) return;
      if (!parcel.isInMemory) {
        const { changes } = parcel.places;
        const contents = await this.#contentsOf(parcel, { maxEvents, maxBytes }).catch((error: unknown) => {
          if (parcel === parcels[0]) throw error;
          // What was read is sent. Next time this parcel comes first.
        });
        if (!contents || parcel.places.changes !== changes) return;
        const isWhole = contents.count === parcel.count;
        this.queue.old.load(parcel, contents);
        if (!isWhole) return;
      }
      maxEvents -= parcel.count;
      maxBytes -= parcel.contents.length + 1;
    }
  }

  /** The first events of a stored parcel. Undefined if it changed meanwhile. */
  async #contentsOf({ places }: Parcel, limit: Limit): Promise<Contents | undefined> {
    const { damaged, journal, memory } = this.#options;
    const { changes } = places;
    const contents = new Contents(memory, 0);
    for (const range of places.ranges) {
      const maxBytes = limit.maxBytes - (contents.count > 0 ? contents.length + 1 : 0);
      const maxEvents = limit.maxEvents - contents.count;
      if (maxEvents < 1 || maxBytes < 1) break;
      const reading = await journal.read(range, { maxEvents, maxBytes }).catch((error: unknown) => {
        if (contents.count === 0) throw error;
      });
      if (places.changes !== changes) return undefined;
      if (!reading) break;
      const { events, range: found } = reading;
      if (rangeLength(found) < 1) throw new StorageError('the journal found nothing');
      const count = events.ends.length;
      // One event may be larger than what is left of the batch.
      if (contents.count > 0 && (count === 0 || events.bytes.length > maxBytes)) break;
      if (count === 0) {
        await damaged(found);
        return undefined;
      }
      contents.append(events, limit.maxBytes);
      if (count < rangeLength(range)) break;
    }
    return contents;
  }

  /** Stored events cannot be read now: leaves them alone for a while, unless it was stopped. Returns false if it was. */
  #leaveStored(error: unknown): boolean {
    if (this.#hold.isStopped) return false;
    this.#options.reporter.storageFailed(error);
    // Others may be readable.
    if (!this.#isStrict && !this.#isOrdered) this.queue.leaveFirst();
    this.#hold.set(HELD_MS);
    return true;
  }
}
