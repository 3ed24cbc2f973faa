import { BATCH_OVERHEAD_BYTES, type Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Room } from '../keep/journal-writer.ts';
import type { Limits } from '../pace/limits.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Memory, TextWriter } from './contents.ts';
import type { Lanes } from './lanes/lanes.ts';
import type { Parcel } from './parcel.ts';
import { Queue } from './queue.ts';
import { createReader, type TakeOld } from './reader.ts';

/** Stored events that could not be read are tried again after this time, in milliseconds. */
const HELD_MS = 1_000;
/** A full ring buffer has at least this many parcels, so that it is written before it is full. */
const PARTS = 8;
/** In one request, however small they are: what each costs has a bound. */
const MOST_EVENTS = 4_096;

/** Drops the events that are too old to be sent. */
export interface Expiry {
  /** Never rejects. */
  dropExpired(): Promise<void>;
  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs(parcel: Parcel): number | undefined;
  stop(): void;
}

/** Keeps what waits within the limits of `storage`. */
export interface Bounds {
  readonly room: Room;
  /** Undefined if events may get as old as they like. */
  readonly expiry: Expiry | undefined;
}

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
  readonly limits: Pick<Limits, 'bytes' | 'events'>;
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  /** Undefined if the events of a customer may overtake each other. */
  readonly lanes: Lanes | undefined;
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
  readonly takeOld: TakeOld;
  readonly #options: LineOptions;
  /** Rings when the oldest fresh event has waited long enough. */
  readonly #age: Alarm;
  /** Set while stored events are left alone, because they could not be read. */
  readonly #hold: Alarm;
  #storedIsNext = true;

  constructor(options: LineOptions) {
    const { batch, buffer, clock, damaged, epochs, isHigh, journal, lanes } = options;
    const { limits, memory, onDue, text } = options;
    const { groupLimit } = journal;
    const parcel: Limit = {
      maxEvents: Math.min(batch.maxEvents, groupLimit.maxEvents, Math.ceil(buffer.maxEvents / PARTS)),
      maxBytes: Math.min(batch.maxBytes, groupLimit.maxBytes, Math.ceil(buffer.maxBytes / PARTS)),
    };
    const queue = new Queue({ isHigh, text, memory, epochs, limit: buffer, parcel }, lanes);
    this.queue = queue;
    this.takeOld = createReader({ queue, journal, memory, damaged, sizeLimit: limits.bytes });
    this.#options = options;
    this.#age = new Alarm(clock, onDue);
    this.#hold = new Alarm(clock, onDue);
  }

  /** Whether something should be sent now; if not, `onDue` is called when fresh events become due by their age. */
  get isDue(): boolean {
    return this.#oldIsDue || this.#freshIsDue();
  }

  /** Whether anything may be sent, due or not. */
  get hasFree(): boolean {
    const { parcels } = this.queue.ready({ maxEvents: 1, maxBytes: 1 }, true);
    return parcels.length > 0 || this.queue.isOldReady;
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

  /** Takes the oldest events in memory that fit a body of this size, due or not. Undefined if there are none. */
  takeNow(maxBytes: number): Parcel | undefined {
    const limit = this.#limit(Number.POSITIVE_INFINITY, maxBytes);
    const [first] = this.queue.ready(limit, true).parcels;
    // What is being written is not cut: it would be written again.
    const least = first?.isHanded ? first.count : 1;
    const fits = first && first.contents.slice(0, least).bytes.length <= limit.maxBytes;
    return fits ? this.queue.takeFresh(limit, true) : undefined;
  }

  /** Whether stored events are left alone now. */
  get isHeld(): boolean {
    return this.#hold.isSet || this.#hold.isStopped;
  }

  /** Stored events cannot be read now: leaves them alone for a while, unless it was stopped. Returns false if it was. */
  leaveStored(error: unknown): boolean {
    if (this.#hold.isStopped) return false;
    const { isStrict, reporter } = this.#options;
    const { queue } = this;
    reporter.storageFailed(error);
    const { first } = queue.old;
    // Others may be readable.
    if (first && !isStrict && !queue.lanes) {
      queue.takeOld(first);
      queue.old.push(first);
    }
    this.#hold.set(HELD_MS);
    return true;
  }

  stop(): void {
    this.#age.stop();
    this.#hold.stop();
  }

  async #next(maxEvents: number): Promise<Parcel | undefined> {
    const { isStrict, sendsUnwritten } = this.#options;
    const { queue } = this;
    const limit = this.#limit(maxEvents);
    for (;;) {
      const freshIsDue = this.#freshIsDue();
      const storedIsNext = isStrict || this.#storedIsNext || !freshIsDue;
      if (isStrict && queue.old.count > 0 && this.#hold.isSet) return undefined;
      if (storedIsNext && this.#oldIsDue) {
        this.#storedIsNext = false;
        const parcel = await this.takeOld(limit);
        if (parcel) return parcel;
      } else if (freshIsDue) {
        this.#storedIsNext = true;
        this.#age.cancel();
        return queue.takeFresh(limit, sendsUnwritten());
      } else {
        return undefined;
      }
    }
  }

  /** What a parcel may have now. */
  #limit(maxEvents: number, maxBytes: number = Number.POSITIVE_INFINITY): Limit {
    const { batch, limits } = this.#options;
    const most = Math.min(limits.bytes.most, maxBytes) - BATCH_OVERHEAD_BYTES;
    return {
      maxEvents: Math.min(MOST_EVENTS, batch.maxEvents, maxEvents, limits.events?.most ?? maxEvents),
      maxBytes: Math.max(1, Math.min(batch.maxBytes, most)),
    };
  }

  get #oldIsDue(): boolean {
    return !this.#hold.isSet && this.queue.isOldReady;
  }

  #freshIsDue(): boolean {
    const { batch, clock, isHigh, isUrgent, sendsUnwritten } = this.#options;
    const { parcels, isFull } = this.queue.ready(this.#limit(Number.POSITIVE_INFINITY), sendsUnwritten());
    const [first] = parcels;
    if (!first) return false;
    if (isFull || isHigh || isUrgent()) return true;
    const waitMs = (first.at ?? 0) + batch.maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > batch.maxWaitMs) return true;
    this.#age.set(waitMs);
    return false;
  }
}
