import { BATCH_OVERHEAD_BYTES, type Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Limits } from '../pace/limits.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Memory, TextWriter } from './contents.ts';
import type { Parcel } from './parcel.ts';
import { Queue } from './queue.ts';
import { createReader } from './reader.ts';

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
  readonly limits: Pick<Limits, 'bytes' | 'events'>;
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
export interface Line {
  readonly queue: Queue;
  readonly readOld: ReturnType<typeof createReader>;
  /** Whether anything may be sent, due or not. */
  readonly hasFree: boolean;
  /**
   * Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due; then `onDue` is called when fresh
   * events become due by their age. Never rejects.
   */
  next(maxEvents: number): Promise<Parcel | undefined>;
  /** Whether stored events are left alone now. */
  readonly isHeld: boolean;
  /** Stored events cannot be read now: leaves them alone for a while, unless it was stopped. Returns false if it was. */
  leaveStored(error: unknown): boolean;
  stop(): void;
}

export function createLine(options: LineOptions): Line {
  const { batch, buffer, clock, damaged, epochs, isHigh, isOrdered, isStrict, isUrgent, journal } = options;
  const { limits, memory, onDue, reporter, sendsUnwritten, text } = options;
  const { groupLimit } = journal;
  const parcel: Limit = {
    maxEvents: Math.min(batch.maxEvents, groupLimit.maxEvents, Math.ceil(buffer.maxEvents / PARTS)),
    maxBytes: Math.min(batch.maxBytes, groupLimit.maxBytes, Math.ceil(buffer.maxBytes / PARTS)),
  };
  const queue = new Queue({ isHigh, isOrdered, text, memory, epochs, limit: buffer, parcel });
  const readOld = createReader({ queue, journal, memory, damaged, sizeLimit: limits.bytes });
  /** Rings when the oldest fresh event has waited long enough. */
  const age = new Alarm(clock, onDue);
  /** Set while stored events are left alone, because they could not be read. */
  const hold = new Alarm(clock, onDue);
  let storedIsNext = true;

  function leaveStored(error: unknown): boolean {
    if (hold.isStopped) return false;
    reporter.storageFailed(error);
    // Others may be readable.
    if (!isStrict && !isOrdered) queue.leaveFirst();
    hold.set(HELD_MS);
    return true;
  }

  async function next(maxEvents: number): Promise<Parcel | undefined> {
    const limit = limitOf(maxEvents);
    for (;;) {
      const hasFresh = freshIsDue();
      if (isStrict && queue.old.count > 0 && hold.isSet) return undefined;
      if ((isStrict || storedIsNext || !hasFresh) && oldIsDue()) {
        storedIsNext = false;
        const parcel = await readOld(limit);
        if (parcel) return parcel;
      } else if (hasFresh) {
        storedIsNext = true;
        age.cancel();
        return queue.takeFresh(limit, sendsUnwritten());
      } else {
        return undefined;
      }
    }
  }

  /** What a parcel may have now. */
  function limitOf(maxEvents: number): Limit {
    return {
      maxEvents: Math.min(MOST_EVENTS, batch.maxEvents, maxEvents, limits.events.most),
      maxBytes: Math.max(1, Math.min(batch.maxBytes, limits.bytes.most - BATCH_OVERHEAD_BYTES)),
    };
  }

  function oldIsDue(): boolean {
    return !hold.isSet && queue.isOldReady;
  }

  function freshIsDue(): boolean {
    const { parcels, isFull } = queue.ready(limitOf(Number.POSITIVE_INFINITY), sendsUnwritten());
    const [first] = parcels;
    if (!first) return false;
    if (isFull || isHigh || isUrgent()) return true;
    const waitMs = (first.at ?? 0) + batch.maxWaitMs - clock.now();
    // More than the whole wait: the time of day was set back.
    if (waitMs <= 0 || waitMs > batch.maxWaitMs) return true;
    age.set(waitMs);
    return false;
  }

  return {
    queue,
    readOld,
    get hasFree() {
      const { parcels } = queue.ready({ maxEvents: 1, maxBytes: 1 }, true);
      return parcels.length > 0 || queue.isOldReady;
    },
    async next(maxEvents) {
      try {
        return await next(maxEvents);
      } catch (error) {
        return leaveStored(error) ? next(maxEvents) : undefined;
      }
    },
    get isHeld() {
      return hold.isSet || hold.isStopped;
    },
    leaveStored,
    stop() {
      age.stop();
      hold.stop();
    },
  };
}
