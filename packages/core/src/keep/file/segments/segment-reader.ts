import type { EventBytes, Limit } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import type { OpenFile } from '../disk/file-system.ts';
import { FRAME_HEADER_BYTES } from '../format/frame.ts';
import { SEGMENT_HEADER_BYTES } from '../format/segment-header.ts';
import { collect } from './collect.ts';
import type { ReadAhead, ReadingBuffer } from './reading-buffer.ts';

/** A read takes this much at least, and somewhat more than what is expected to be needed. */
const LEAST_READ_BYTES = 16 * 1024;
const READ_MARGIN = 1.25;
/** As much as so many reads take is read at once, up to so many bytes. */
const MOST_READ_AHEAD = 8;
const MOST_READ_AHEAD_BYTES = 1024 * 1024;
/** Where frames start is remembered about this often: reading anywhere costs no more than reading so much. */
const WAYMARK_BYTES = 128 * 1024;

/** What is to be known of a file to read it. */
interface Extent {
  readonly id: number;
  readonly baseTime: number;
  /** Bytes that count, and the index behind the last event in them. */
  readonly size: number;
  readonly end: number;
}

/** Finds events in the file of a segment that is in order, and reads ahead of whoever reads one behind the other. */
export class SegmentReader {
  readonly #file: Extent;
  readonly #memory: ReadingBuffer;
  /** Places of frames, in order: event `index`, or the first of the file, is at `offset`. */
  readonly #waymarks = [{ index: 0, offset: SEGMENT_HEADER_BYTES }];
  /** Where the last read ended. */
  #resume = { index: 0, offset: SEGMENT_HEADER_BYTES };

  constructor(file: Extent, memory: ReadingBuffer) {
    this.#file = file;
    this.#memory = memory;
  }

  /** The frame of event `index` is at `offset`. */
  mark(index: number, offset: number): void {
    if (offset - (this.#waymarks.at(-1)?.offset ?? 0) < WAYMARK_BYTES) return;
    this.#waymarks.push({ index, offset });
  }

  /** Reads events from the start of a range. Undefined where its first event is not found between those before and behind it. */
  read(file: OpenFile, range: Range, limit: Limit): Promise<Reading | undefined> {
    return this.readAt(file, this.#offsetBefore(range.from), range, limit);
  }

  /** As `read`, from a place in the file at which a frame starts, at or before the first event of the range. */
  async readAt(file: OpenFile, offset: number, range: Range, limit: Limit): Promise<Reading | undefined> {
    const ahead = this.#readAhead(offset, range, limit);
    if (ahead !== undefined) return ahead;
    let length = this.#lengthFor(limit);
    // Whoever reads on where the last read ended goes on doing so.
    if (offset === this.#resume.offset) {
      length = Math.max(length, Math.min(length * MOST_READ_AHEAD, MOST_READ_AHEAD_BYTES));
    }
    for (let at = offset; ; ) {
      const wanted = Math.max(0, Math.min(length, this.#file.size - at));
      const buffer = this.#memory.take(wanted);
      let left: ReadAhead | undefined;
      try {
        const bytes = buffer.subarray(0, await file.read(buffer.subarray(0, wanted), at));
        const isEnd = bytes.length < wanted || at + wanted >= this.#file.size;
        const found = collect(bytes, isEnd, range, limit, this.#file);
        if (found.events !== undefined) {
          left = { owner: this, offset: at + found.offset, bytes: bytes.subarray(found.offset) };
          return this.#found(found.events, range, left.offset);
        }
        if (found.isBroken || isEnd) return undefined;
        if (found.offset > 0) at += found.offset;
        else length *= 2;
      } finally {
        this.#memory.give(buffer, left);
      }
    }
  }

  /** Of what was read ahead, if that is enough. */
  #readAhead(offset: number, range: Range, limit: Limit): Reading | undefined {
    const ahead = this.#memory.takeAhead(this, offset);
    if (ahead === undefined) return undefined;
    const { events, isFull, offset: used } = collect(ahead.bytes, false, range, limit, this.#file);
    const isEnough = events !== undefined && isFull;
    const left = { owner: this, offset: offset + used, bytes: ahead.bytes.subarray(used) };
    this.#memory.give(ahead.buffer, isEnough ? left : undefined);
    return isEnough ? this.#found(events, range, left.offset) : undefined;
  }

  /** @param offset Where the next event starts. */
  #found(events: EventBytes, range: Range, offset: number): Reading {
    const to = range.from + events.ends.length;
    this.#resume = { index: to, offset };
    this.mark(to, offset);
    return { events, range: { ...range, to } };
  }

  /** Bytes in which as many events lie as are asked for, if they are no larger than others here. */
  #lengthFor({ maxEvents, maxBytes }: Limit): number {
    const meanBytes = this.#file.size / Math.max(1, this.#file.end);
    const expected = Math.max(LEAST_READ_BYTES, maxEvents * meanBytes * READ_MARGIN);
    return Math.ceil(Math.min(expected, maxBytes + FRAME_HEADER_BYTES * maxEvents));
  }

  #offsetBefore(index: number): number {
    let low = 0;
    let high = this.#waymarks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#waymarks[middle]?.index ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const offset = this.#waymarks[low]?.offset ?? SEGMENT_HEADER_BYTES;
    return this.#resume.index <= index ? Math.max(this.#resume.offset, offset) : offset;
  }
}
