import type { Clock } from '@sluice/protocol/toolbox';
import type { Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import type { Range } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Room } from '../keep/journal-writer.ts';
import type { Limits } from '../pace/limits.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Batcher } from './batcher.ts';
import type { Memory, TextWriter } from './contents.ts';
import type { Lanes } from './lanes/lanes.ts';
import type { Parcel } from './parcel.ts';
import { Queue } from './queue.ts';
import { Reader } from './reader.ts';

/** A full ring buffer has at least this many parcels, so that it is written before it is full. */
const PARTS = 8;

/** What an expiry of one priority needs. */
export interface ExpiryOptions {
  readonly queue: Queue;
  readonly reader: Pick<Reader, 'take'>;
  readonly clock: Clock;
  readonly limit: Limit;
  /** Whether events may be taken that no journal has, because it fails. */
  readonly sendsUnwritten: () => boolean;
  /** The events of a parcel end here. */
  readonly end: (parcel: Parcel, fate: Fate) => Promise<void>;
  /** It is time to look again. */
  readonly onDue: () => void;
}

/** Drops the events that are too old to be sent. */
export interface Expiry {
  /** Rejects with a StorageError if stored events cannot be read. */
  dropExpired(): Promise<void>;
  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs(parcel: Parcel): number | undefined;
  stop(): void;
}

/** Keeps what waits within the limits of `storage`. */
export interface Bounds {
  readonly room: Room;
  /** Undefined if events may get as old as they like. */
  readonly createExpiry: ((options: ExpiryOptions) => Expiry) | undefined;
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
  /** Undefined if events may get as old as they like. */
  readonly createExpiry: ((options: ExpiryOptions) => Expiry) | undefined;
  /** Stored events that could not be read back intact end. */
  readonly damaged: (range: Range) => Promise<void>;
  readonly end: (parcel: Parcel, fate: Fate) => Promise<void>;
  /** There may be something to send. */
  readonly onDue: () => void;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
}

/** One priority: what waits, and what decides when it is sent. */
export class Line {
  readonly queue: Queue;
  readonly #batcher: Batcher;
  readonly #expiry: Expiry | undefined;
  readonly #reporter: Pick<Reporter, 'storageFailed'>;

  constructor(options: LineOptions) {
    const { batch, buffer, clock, damaged, end, epochs, isHigh, isStrict, isUrgent, journal } = options;
    const { lanes, memory, onDue, reporter, sendsUnwritten, limits, text } = options;
    const { groupLimit } = journal;
    const parcel: Limit = {
      maxEvents: Math.min(batch.maxEvents, groupLimit.maxEvents, Math.ceil(buffer.maxEvents / PARTS)),
      maxBytes: Math.min(batch.maxBytes, groupLimit.maxBytes, Math.ceil(buffer.maxBytes / PARTS)),
    };
    const queue = new Queue({ limit: buffer, parcel, isHigh, text, memory, epochs }, lanes);
    const reader = new Reader({ queue, journal, damaged, sizeLimit: limits.bytes });
    this.queue = queue;
    this.#reporter = reporter;
    this.#batcher = new Batcher({
      queue,
      reader,
      clock,
      limit: batch,
      limits,
      isStrict,
      maxWaitMs: isHigh ? 0 : batch.maxWaitMs,
      isUrgent,
      sendsUnwritten,
      onDue,
    });
    this.#expiry = options.createExpiry?.({ queue, reader, clock, limit: batch, sendsUnwritten, end, onDue });
  }

  /** Whether something should be sent now. */
  get isDue(): boolean {
    return this.#batcher.isDue;
  }

  /** Whether anything may be sent, due or not. */
  get hasFree(): boolean {
    const { parcels } = this.queue.ready({ maxEvents: 1, maxBytes: 1 }, true);
    return parcels.length > 0 || this.queue.isOldReady;
  }

  /** Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due. Never rejects. */
  async next(maxEvents: number): Promise<Parcel | undefined> {
    try {
      return await this.#batcher.next(maxEvents);
    } catch (error) {
      return this.#hold(error) ? this.#batcher.next(maxEvents) : undefined;
    }
  }

  /** Takes the oldest events in memory that fit a body of this size, due or not. Undefined if there are none. */
  takeNow(maxBytes: number): Parcel | undefined {
    const limit = this.#batcher.limit(Number.POSITIVE_INFINITY, maxBytes);
    const [first] = this.queue.ready(limit, true).parcels;
    // What is being written is not cut: it would be written again.
    const least = first?.isHanded ? first.count : 1;
    const fits = first && first.contents.slice(0, least).bytes.length <= limit.maxBytes;
    return fits ? this.queue.takeFresh(limit, true) : undefined;
  }

  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs(parcel: Parcel): number | undefined {
    return this.#expiry?.expiresInMs(parcel);
  }

  /** Drops the events that are too old. Never rejects. */
  async dropExpired(): Promise<void> {
    if (this.#batcher.isHeld || this.#batcher.isStopped) return;
    try {
      await this.#expiry?.dropExpired();
    } catch (error) {
      this.#hold(error);
    }
  }

  stop(): void {
    this.#batcher.stop();
    this.#expiry?.stop();
  }

  /** Stored events cannot be read now: tries again later. Returns false if it was stopped. */
  #hold(error: unknown): boolean {
    if (this.#batcher.isStopped) return false;
    this.#reporter.storageFailed(error);
    this.#batcher.holdStored();
    return true;
  }
}
