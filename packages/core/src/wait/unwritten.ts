import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Entry } from '../keep/appends.ts';
import type { Unwritten } from '../keep/group-commit.ts';
import type { Parcel } from './parcel.ts';
import type { Queue } from './queue.ts';

/** Unwritten events are written at once if they take this part of the memory. */
const PRESSING_PART = 8;

export interface UnwrittenOptions {
  /** Those that go first at first. */
  readonly queues: () => readonly Queue[];
  /** Bounds of a ring buffer. */
  readonly buffer: Limit;
  /** This many bytes are worth a write of their own. */
  readonly writeBytes: number;
  /** Events end because the journal is full. */
  readonly ended: (epoch: number, count: number) => void;
}

/** The events that no journal has: those of the ring buffers, and those that the journal did not take while it failed. */
export class UnwrittenEvents implements Unwritten {
  readonly #options: UnwrittenOptions;
  readonly #pressingBytes: number;

  constructor(options: UnwrittenOptions) {
    this.#options = options;
    this.#pressingBytes = Math.min(options.writeBytes, options.buffer.maxBytes / PRESSING_PART);
  }

  get count(): number {
    let count = 0;
    for (const { toWrite, loose } of this.#options.queues()) {
      count += toWrite;
      for (const { runs } of loose) count += runs.unwritten;
    }
    return count;
  }

  get oldestAt(): number | undefined {
    let oldest: number | undefined;
    for (const parcel of this.#firsts())
      oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, unwrittenAt(parcel));
    return oldest;
  }

  isPressing(times: number): boolean {
    const { buffer, queues } = this.#options;
    return queues().some(({ toWrite, length, roughBytes }) => {
      const unwritten = toWrite / times;
      return (
        unwritten * PRESSING_PART >= buffer.maxEvents ||
        (unwritten > 0 && unwritten * roughBytes >= this.#pressingBytes * length)
      );
    });
  }

  next(limit: Limit, isUrgent: boolean): Entry | undefined {
    for (const parcel of this.#firsts()) {
      if (isUrgent && !parcel.isHigh) continue;
      const handed = parcel.hand(limit);
      if (handed) return this.#entryOf(parcel, handed.events, handed.at);
    }
    return undefined;
  }

  /** All unwritten events of a parcel that was taken; undefined if there are none. */
  entryOf(parcel: Parcel): Entry | undefined {
    const handed = parcel.hand({ maxEvents: parcel.runs.length, maxBytes: Number.POSITIVE_INFINITY });
    return handed && this.#entryOf(parcel, handed.events, handed.at);
  }

  /** The ring buffers come first: what is in requests may end soon. */
  *#firsts(): Generator<Parcel> {
    const queues = this.#options.queues();
    for (const queue of queues) {
      const parcel = queue.nextToWrite();
      if (parcel) yield parcel;
    }
    for (const { loose } of queues) {
      for (const parcel of loose) {
        if (parcel.isWritten || parcel.state === 'ended') loose.delete(parcel);
        else if (parcel.runs.unwritten > 0) yield parcel;
      }
    }
  }

  #entryOf(parcel: Parcel, events: EventBytes, at: number): Entry {
    const { ended, queues } = this.#options;
    const count = events.ends.length;
    const queue = queues().find(({ isHigh }) => isHigh === parcel.isHigh);
    if (parcel.isFresh && queue) queue.toWrite -= count;
    const handBack = () => {
      for (const part of parcel.handBack(at, count)) if (!part.isFresh) queue?.loose.add(part);
      queue?.recount();
    };
    return {
      events,
      isLast: parcel.isHigh,
      placed: (range: Range) => parcel.place(at, range),
      handBack,
      drop: () => {
        handBack();
        let dropped = 0;
        for (const part of parcel.dropUnwritten(at, count)) {
          ended(part.epoch, part.count);
          dropped += part.count;
        }
        queue?.recount();
        return dropped;
      },
    };
  }
}

function unwrittenAt({ runs, contents, at }: Parcel): number {
  return contents.timeOf(runs.toWrite?.from ?? 0) ?? at ?? 0;
}
