import { type EventBytes, MOST_EVENT_BYTES } from '../../../base/event-bytes.ts';
import type { Span } from '../../../base/range.ts';
import type { SegmentHeader } from './segment-header.ts';
import { xxh32 } from './xxh32.ts';

/*
 * One frame holds one event (FORMAT.md):
 *
 *   FF FE | checksum u32 | segment u32 | length u32 | index u32 | age u32 | event
 *
 * Neither FF nor FE occurs in UTF-8, so no event can contain the start of a frame. The checksum is the XXH32 of everything
 * after it in the frame. The segment field is the random id in the segment's header: if a block of another file ends up here,
 * it holds no frames of this segment.
 */
const MARK = Buffer.from([0xff, 0xfe]);
const MARK_NUMBER = 0xfeff;
const CHECKSUM_AT = 2;
const SEGMENT_AT = 6;
const LENGTH_AT = 10;
const INDEX_AT = 14;
const AGE_AT = 18;
const NO_AGE = 0xffffffff;
/** Events of one segment are at most so far apart, in milliseconds: an age has 32 bits. */
export const MOST_SPREAD_MS: number = 30 * 24 * 60 * 60_000;

/** A group of events in a segment. Its frames are kept until they are synced, because a failing disk may lose them. */
export interface WrittenGroup extends Span {
  readonly frames: Buffer;
  /** The memory of all groups that were written in one call. The last of them has it. */
  readonly buffer?: Buffer | undefined;
}

export const FRAME_HEADER_BYTES = 22;
/** A larger frame is damage: this bounds memory, and the time of a checksum. A dead letter has some text around its event. */
const MOST_FRAME_BYTES: number = FRAME_HEADER_BYTES + MOST_EVENT_BYTES + 64 * 1024;
/** If a frame is larger than what was read, the next read takes this many times more. */
const GROWTH = 8;

/** How much to read next if this many bytes hold no whole frame. */
export function largerPart(bytes: number): number {
  return Math.min(bytes * GROWTH, MOST_FRAME_BYTES);
}

/** Size of a group as frames, in bytes. */
export function framedLength({ bytes, ends }: EventBytes): number {
  const commas = ends.length - 1;
  return bytes.length - commas + ends.length * FRAME_HEADER_BYTES;
}

/**
 * A group as frames. The same events always give the same bytes.
 *
 * @param index The index of the first event.
 * @param target The frames are written to its start. Default: memory of their own.
 */
export function framesOf(
  events: EventBytes,
  index: number,
  { id, baseTime }: Pick<SegmentHeader, 'id' | 'baseTime'>,
  target: Buffer = Buffer.allocUnsafe(framedLength(events)),
): Buffer {
  const { bytes, ends, times } = events;
  const length = framedLength(events);
  const view = viewOf(target);
  // Copy all events to the end of the area, then move each to its place: cheaper than one copy from `bytes` per event.
  let from = length - bytes.length;
  const moved = from;
  target.set(bytes, from);
  let at = 0;
  for (let number = 0; number < ends.length; number += 1) {
    const to = moved + (ends[number] ?? 0);
    const end = at + FRAME_HEADER_BYTES + to - from;
    target.copyWithin(at + FRAME_HEADER_BYTES, from, to);
    view.setUint16(at, MARK_NUMBER, true);
    view.setUint32(at + SEGMENT_AT, id, true);
    view.setUint32(at + LENGTH_AT, to - from, true);
    view.setUint32(at + INDEX_AT, index + number, true);
    view.setUint32(at + AGE_AT, ageOf(times?.[number], baseTime), true);
    view.setUint32(at + CHECKSUM_AT, xxh32(view, at + SEGMENT_AT, end), true);
    at = end;
    from = to + 1;
  }
  return target.subarray(0, length);
}

export function wholeSegment(header: SegmentHeader, events: EventBytes): Buffer {
  return Buffer.concat([header.bytes, framesOf(events, header.first, header)]);
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Milliseconds after the base time. Never negative, even if the clock was set back. */
function ageOf(time: number | undefined, baseTime: number): number {
  if (time === undefined || Number.isNaN(time)) return NO_AGE;
  return Math.min(Math.max(0, Math.round(time - baseTime)), NO_AGE - 1);
}

/** Calls `found` with the segment id, as a signed number, of all that looks like the start of a frame. */
export function findIds(bytes: Buffer, found: (id: number) => void): void {
  const last = bytes.length - FRAME_HEADER_BYTES;
  for (let at = bytes.indexOf(MARK); at >= 0 && at <= last; at = bytes.indexOf(MARK, at + 1))
    found(bytes.readInt32LE(at + SEGMENT_AT));
}

/** The id that is looked for, in memory that is used again and again. */
const idBytes = Buffer.alloc(4);

/** Reads one frame after another, and skips bytes that are not an intact frame. */
export class FrameReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #id: number;
  readonly #rest: number;
  /** The first mark at or behind the place that was asked for last. */
  #mark = -1;
  /** Where the frame after the last one found starts. */
  offset = 0;
  /** Number of bytes skipped because they are not intact frames. */
  damaged = 0;
  /** The event of that frame: its index, and its position in the bytes from `start` (inclusive) to `end` (exclusive). */
  index = 0;
  start = 0;
  end = 0;
  /** Time from the segment's base time until the event was accepted, in milliseconds; undefined if unknown. */
  age: number | undefined;

  /**
   * @param id Only frames with this segment id count.
   * @param rest How many bytes of the file follow. A frame that may be complete with them is no damage.
   */
  constructor(bytes: Buffer, id: number, rest: number) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#id = id;
    this.#rest = rest;
  }

  /** Where the last frame found starts. */
  get frameStart(): number {
    return this.start - FRAME_HEADER_BYTES;
  }

  /**
   * Finds the next intact frame. Returns false at the end.
   *
   * @param isWhole Whether all bytes are to be intact. Then what follows damage is skipped, too, unread.
   */
  next(isWhole = false): boolean {
    while (this.offset < this.#bytes.length) {
      const found = this.#parse(this.offset);
      if (found === 'intact') return true;
      if (found === 'cut short') return false;
      const resume = isWhole ? this.#bytes.length : this.#findStart(this.offset + 1);
      this.damaged += resume - this.offset;
      this.offset = resume;
    }
    return false;
  }

  /** Where the next frame may start: a mark with the id behind it. Noise may be full of either. */
  #findStart(from: number): number {
    const { length } = this.#bytes;
    idBytes.writeUInt32LE(this.#id);
    for (let at = from; ; ) {
      const mark = this.#bytes.indexOf(MARK, at);
      const id = this.#bytes.indexOf(idBytes, at + SEGMENT_AT);
      if (mark < 0 || id < 0) break;
      if (mark + SEGMENT_AT === id) return mark;
      at = Math.max(mark, id - SEGMENT_AT);
    }
    // The start of a frame may be the last bytes of a part of the file.
    return this.#rest === 0 ? length : Math.min(length, Math.max(from, length - SEGMENT_AT - 3));
  }

  /**
   * Whether a mark lies in these bytes: then they are no event. This bounds the work on noise: bytes that look like the start of a
   * long frame are hashed only if no other frame can start in them.
   */
  #hasMark(from: number, to: number): boolean {
    if (this.#mark < from) this.#mark = this.#bytes.indexOf(MARK, from);
    if (this.#mark < 0) this.#mark = Number.POSITIVE_INFINITY;
    return this.#mark < to;
  }

  #parse(at: number): 'intact' | 'cut short' | 'damaged' {
    const view = this.#view;
    const left = view.byteLength - at;
    if (left < FRAME_HEADER_BYTES) return left + this.#rest < FRAME_HEADER_BYTES ? 'damaged' : 'cut short';
    if (view.getUint16(at, true) !== MARK_NUMBER) return 'damaged';
    if (view.getUint32(at + SEGMENT_AT, true) !== this.#id) return 'damaged';
    const length = view.getUint32(at + LENGTH_AT, true);
    const age = view.getUint32(at + AGE_AT, true);
    const start = at + FRAME_HEADER_BYTES;
    const end = start + length;
    if (FRAME_HEADER_BYTES + length > MOST_FRAME_BYTES) return 'damaged';
    if (length > left + this.#rest - FRAME_HEADER_BYTES) return 'damaged';
    const isCutShort = length > left - FRAME_HEADER_BYTES;
    // Most frames are in their place, and need no such check.
    if ((isCutShort || this.damaged > 0) && this.#hasMark(start, end)) return 'damaged';
    if (isCutShort) return 'cut short';
    if (xxh32(view, at + SEGMENT_AT, end) !== view.getUint32(at + CHECKSUM_AT, true)) return 'damaged';
    this.index = view.getUint32(at + INDEX_AT, true);
    this.start = start;
    this.end = end;
    this.age = age === NO_AGE ? undefined : age;
    this.offset = end;
    return 'intact';
  }
}
