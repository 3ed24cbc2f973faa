import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Contents, type Memory, type TextWriter } from './contents.ts';
import type { Parcel } from './parcel.ts';
import { Places } from './places.ts';
import { Queue } from './queue.ts';

/** Stored events that could not be read are tried again after this time, in milliseconds. */
const HELD_MS = 1_000;
/** A full ring buffer has at least this many parcels, so that it is written before it is full. */
const PARTS = 8;
/** In one request, however small they are: what each costs has a bound. */
const MOST_EVENTS = 4_096;
export interface LineOptions {
  readonly isHigh: boolean;
  readonly journal: Journal;
  readonly text: TextWriter;
  readonly memory: Memory;
  readonly epochs: Epochs;
  readonly clock: Clock;
  /** Bounds of the ring buffer. */
  readonly buffer: Limit;
  /** Bounds of a batch, and how long an event may wait for others, in milliseconds. */
  readonly batch: Limit & { readonly maxWaitMs: number };
  /** The most that the service takes in a request, as far as that is known. */
  readonly limits: { readonly most: Limit };
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  /** Whether no event may overtake another of its customer. */
  readonly isOrdered: boolean;
  /** Whether events need not wait for others now. */
  readonly isUrgent: () => boolean;
  /** Whether events may be sent that no journal has, because it fails. */
  readonly sendsUnwritten: () => boolean;
  /** Stored events that could not be read back intact end. */
  readonly damaged: (range: Range) => Promise<void>;
  /** There may be something to send. */
  readonly onDue: () => void;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
}

/**
 * One priority: what waits, and what decides when it is sent. Fresh events are due by count, bytes or age, stored ones at once. If
 * both wait they take turns, so that neither starves.
 */
export class Line {
  readonly queue: Queue;
  readonly #options: LineOptions;
  /** Rings when the oldest fresh event has waited long enough. */
  readonly #age: Alarm;
  /** Set while stored events are left alone, because they could not be read. */
  readonly #hold: Alarm;
  #storedIsNext = true;

  constructor(options: LineOptions) {
    const { batch, buffer, clock, journal, onDue } = options;
    const { maxBytes, maxEvents } = journal.groupLimit;
    const parcel: Limit = {
      maxEvents: Math.min(batch.maxEvents, maxEvents, Math.ceil(buffer.maxEvents / PARTS)),
      maxBytes: Math.min(batch.maxBytes, maxBytes, Math.ceil(buffer.maxBytes / PARTS)),
    };
    this.#options = options;
    this.queue = new Queue({ ...options, limit: buffer, parcel });
    this.#age = new Alarm(clock, onDue);
    this.#hold = new Alarm(clock, onDue);
  }

  /** Whether anything may be sent, due or not. */
  get hasFree(): boolean {
    const { parcels } = this.queue.ready({ maxEvents: 1, maxBytes: 1 }, true);
    return parcels.length > 0 || this.queue.isOldReady;
  }

  /** Whether stored events are left alone now. */
  get isHeld(): boolean {
    return this.#hold.isSet || this.#hold.isStopped;
  }

  /**
   * Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due; then `onDue` is called when fresh
   * events become due by their age. Never rejects.
   */
  async next(maxEvents: number): Promise<Parcel | undefined> {
    try {
      return await this.#next(maxEvents);
    } catch (error) {
      return this.leaveStored(error) ? this.#next(maxEvents) : undefined;
    }
  }

  /** Stored events cannot be read now: leaves them alone for a while, unless it was stopped. Returns false if it was. */
  leaveStored(error: unknown): boolean {
    const { isOrdered, isStrict, reporter } = this.#options;
    if (this.#hold.isStopped) return false;
    reporter.storageFailed(error);
    // Others may be readable.
    if (!isStrict && !isOrdered) this.queue.leaveFirst();
    this.#hold.set(HELD_MS);
    return true;
  }

  /**
   * Takes the first old events that may be sent, joined up to one batch. Resolves to undefined if they changed meanwhile: ask again.
   * Rejects with a StorageError if the journal fails; then all is as it was.
   */
  async readOld(limit: Limit, busy?: number): Promise<Parcel | undefined> {
    const { queue } = this;
    const parcels: Parcel[] = [];
    let left = limit.maxEvents;
    for (const parcel of queue.oldReady(busy)) {
      if (parcel.isInMemory && parcels.length === 0) return this.#takePart(parcel, limit);
      if (parcel.isInMemory || left <= 0) break;
      parcels.push(parcel);
      left -= parcel.count;
    }
    const contents = parcels.length > 0 ? await this.#read(parcels, limit) : undefined;
    if (!contents) return undefined;
    const read: Parcel[] = [];
    left = contents.count;
    for (const parcel of parcels) {
      const count = Math.min(parcel.count, left);
      if (count === 0) break;
      left -= count;
      read.push(parcel.cut({ from: 0, to: count }));
      queue.old.shift(parcel, count);
    }
    return queue.join(read, contents);
  }

  stop(): void {
    this.#age.stop();
    this.#hold.stop();
  }

  async #next(maxEvents: number): Promise<Parcel | undefined> {
    const { isStrict, sendsUnwritten } = this.#options;
    const { queue } = this;
    const limit = this.#limitOf(maxEvents);
    for (;;) {
      const hasFresh = this.#freshIsDue();
      const isHeld = this.#hold.isSet;
      if (isStrict && queue.old.count > 0 && isHeld) return undefined;
      if ((isStrict || this.#storedIsNext || !hasFresh) && !isHeld && queue.isOldReady) {
        this.#storedIsNext = false;
        const parcel = await this.readOld(limit);
        if (parcel) return parcel;
      } else if (hasFresh) {
        this.#storedIsNext = true;
        this.#age.cancel();
        return queue.takeFresh(limit, sendsUnwritten());
      } else {
        return undefined;
      }
    }
  }

  /** What a parcel may have now. */
  #limitOf(maxEvents: number): Limit {
    const { batch, limits } = this.#options;
    return {
      maxEvents: Math.min(MOST_EVENTS, batch.maxEvents, maxEvents, limits.most.maxEvents),
      maxBytes: Math.max(1, Math.min(batch.maxBytes, limits.most.maxBytes)),
    };
  }

  #freshIsDue(): boolean {
    const { batch, clock, isHigh, isUrgent, sendsUnwritten } = this.#options;
    const { parcels, isFull } = this.queue.ready(this.#limitOf(Number.POSITIVE_INFINITY), sendsUnwritten());
    const [first] = parcels;
    if (!first) return false;
    if (isFull || isHigh || isUrgent()) return true;
    const waitMs = (first.at ?? 0) + batch.maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > batch.maxWaitMs) return true;
    this.#age.set(waitMs);
    return false;
  }

  /** Takes what fits one batch of a parcel in memory. Parts have about the same size: a small rest would be a request of its own. */
  #takePart(parcel: Parcel, { maxBytes, maxEvents }: Limit): Parcel {
    const { contents, count } = parcel;
    const isFitting = count <= maxEvents && contents.length <= maxBytes;
    const parts = isFitting ? 1 : Math.ceil(count / contents.slice(0, maxEvents, maxBytes).ends.length);
    this.queue.takeOld(parcel);
    const [first, rest] = this.queue.split(parcel, Math.ceil(count / parts));
    if (rest) this.queue.old.unshift(rest);
    return this.queue.taken(first);
  }

  /** The first events of stored parcels. Undefined if they changed meanwhile. */
  async #read(parcels: readonly Parcel[], limit: Limit): Promise<Contents | undefined> {
    const { damaged, journal, memory } = this.#options;
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
}

/** Adds events that were read. Makes room for more of them, so that not all of them move each time. */
function add(contents: Contents, events: EventBytes, limit: Limit): void {
  const needed = contents.length + 1 + events.bytes.length;
  if (contents.spare < events.bytes.length + 1)
    contents.resize(Math.max(needed, contents.count === 0 ? 0 : Math.min(limit.maxBytes, needed * 2)));
  contents.addAll(events);
}
