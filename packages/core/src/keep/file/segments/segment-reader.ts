import type { EventBytes, Limit } from '../../../base/event-bytes.ts';
import { type Range, rangeLength } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import type { OpenFile } from '../disk/file-system.ts';
import { FRAME_HEADER_BYTES, largerPart } from '../format/frame.ts';
import { SEGMENT_HEADER_BYTES } from '../format/segment-header.ts';
import { collect } from './collect.ts';
import type { ReadAhead, ReadingBuffer } from './reading-buffer.ts';

/** A read takes READ_MARGIN times the expected size, and at least this many bytes. */
const LEAST_READ_BYTES = 16 * 1024;
const READ_MARGIN = 1.25;
/** For a sequential caller, one read takes the bytes of this many reads, up to MOST_READ_AHEAD_BYTES. */
const MOST_READ_AHEAD = 8;
const MOST_READ_AHEAD_BYTES = 1024 * 1024;
/** So many events are given before others have their turn. */
const MOST_EVENTS = 4096;
/** The reader remembers a frame's position about once in this many bytes. A later read starts close before its event. */
const WAYMARK_BYTES = 128 * 1024;

/** What the reader must know about a file. */
interface Extent {
  readonly id: number;
  readonly baseTime: number;
  /** Confirmed bytes, and the index after the last event in them. */
  readonly size: number;
  readonly end: number;
}

/** Reads events from the file of an undamaged segment. Reads ahead for a caller that reads sequentially. */
export class SegmentReader {
  readonly #file: Extent;
  readonly #memory: ReadingBuffer;
  /** Known positions of frames, in order: event `index` is at `offset`. The first entry is the first frame of the file. */
  readonly #waymarks = [{ index: 0, offset: SEGMENT_HEADER_BYTES }];
  /** Where the last read ended. */
  #resume = { index: 0, offset: SEGMENT_HEADER_BYTES };
  /** How many events were given since the last read of the file. */
  #given = 0;

  constructor(file: Extent, memory: ReadingBuffer) {
    this.#file = file;
    this.#memory = memory;
  }

  /** Remembers that the frame of event `index` is at `offset`. */
  mark(index: number, offset: number): void {
    if (offset - (this.#waymarks.at(-1)?.offset ?? 0) < WAYMARK_BYTES) return;
    this.#waymarks.push({ index, offset });
  }

  /** Reads events from the start of a range. Undefined if the first event is not in its place between its neighbours. */
  read(file: OpenFile, range: Range, limit: Limit): Promise<Reading | undefined> {
    return this.readAt(file, this.#offsetBefore(range.from), range, limit);
  }

  /** Like `read`, but starts at `offset`. A frame must start there, at or before the first event of the range. */
  async readAt(
    file: OpenFile,
    offset: number,
    range: Range,
    { maxBytes, maxEvents }: Limit,
  ): Promise<Reading | undefined> {
    const limit = { maxBytes, maxEvents: Math.min(maxEvents, rangeLength(range), MOST_EVENTS) };
    const ahead = this.#readAhead(offset, range, limit);
    if (ahead !== undefined) return ahead;
    let length = this.#lengthFor(limit);
    // A caller that continued where the last read ended will do so again: read ahead.
    if (offset === this.#resume.offset) {
      length = Math.max(length, Math.min(length * MOST_READ_AHEAD, MOST_READ_AHEAD_BYTES));
    }
    for (let at = offset; ; ) {
      const wanted = Math.max(0, Math.min(length, this.#file.size - at));
      const buffer = this.#memory.take(wanted);
      let left: ReadAhead | undefined;
      try {
        const bytes = buffer.subarray(0, await file.read(buffer.subarray(0, wanted), at));
        this.#given = 0;
        const isEnd = bytes.length < wanted || at + wanted >= this.#file.size;
        const found = collect(bytes, isEnd, range, limit, this.#file);
        if (found.events !== undefined) {
          left = { owner: this, offset: at + found.offset, bytes: bytes.subarray(found.offset) };
          return this.#found(found.events, range, left.offset);
        }
        if (found.isBroken || isEnd) return undefined;
        if (found.offset > 0) at += found.offset;
        else length = largerPart(length);
      } finally {
        this.#memory.give(buffer, left);
      }
    }
  }

  /** Answers from the bytes that were read ahead, if they are enough. Not for ever: only a read of the file ends the turn. */
  #readAhead(offset: number, range: Range, limit: Limit): Reading | undefined {
    if (this.#given >= MOST_EVENTS) return undefined;
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
    this.#given += Math.max(events.ends.length, MOST_EVENTS / MOST_READ_AHEAD);
    this.mark(to, offset);
    return { events, range: { ...range, to } };
  }

  /** Number of bytes to read for the requested events, if they are of average size. */
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
