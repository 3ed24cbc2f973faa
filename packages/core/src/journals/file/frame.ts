import { crc32 } from 'node:zlib';
import type { EventBytes } from '../../journal.ts';

/*
 * One frame holds one event (FORMAT.md):
 *
 *   FF FE | checksum u32 | length u32 | index u32 | age u32 | event
 *
 * Neither FF nor FE occurs in UTF-8, so no event can hold what looks like the start of a frame. The checksum is the
 * CRC-32 of all behind it in the frame.
 */
const MARK = Buffer.from([0xff, 0xfe]);
const CHECKSUM_AT = 2;
const LENGTH_AT = 6;
const INDEX_AT = 10;
const AGE_AT = 14;
/** Stands for an age that is not known. */
const NO_AGE = 0xffffffff;

export const FRAME_HEADER_BYTES = 18;

/** Bytes that a group of events takes as frames. */
export function framedLength({ bytes, ends }: EventBytes): number {
  const commas = ends.length - 1;
  return bytes.length - commas + ends.length * FRAME_HEADER_BYTES;
}

/**
 * Writes a group as frames to the start of `target`. The same events make the same bytes.
 *
 * @param index The index of the first event.
 * @param baseTime What ages count from, in milliseconds since 1970.
 */
export function writeFrames(
  { bytes, ends, times }: EventBytes,
  index: number,
  baseTime: number,
  target: Buffer,
): void {
  let from = 0;
  let at = 0;
  for (let number = 0; number < ends.length; number += 1) {
    const to = ends[number] ?? 0;
    const end = at + FRAME_HEADER_BYTES + to - from;
    target[at] = 0xff;
    target[at + 1] = 0xfe;
    target.writeUInt32LE(to - from, at + LENGTH_AT);
    target.writeUInt32LE(index + number, at + INDEX_AT);
    target.writeUInt32LE(ageOf(times?.[number], baseTime), at + AGE_AT);
    target.set(bytes.subarray(from, to), at + FRAME_HEADER_BYTES);
    target.writeUInt32LE(checksum(target, at, end), at + CHECKSUM_AT);
    at = end;
    from = to + 1;
  }
}

function checksum(bytes: Buffer, at: number, end: number): number {
  return crc32(bytes.subarray(at + LENGTH_AT, end));
}

/** Milliseconds after the base time; a clock that was set back makes no event older than that. */
function ageOf(time: number | undefined, baseTime: number): number {
  if (time === undefined) return NO_AGE;
  return Math.min(Math.max(0, Math.round(time - baseTime)), NO_AGE - 1);
}

/** Walks over frames and finds the next one after whatever is not an intact frame. */
export class FrameReader {
  readonly #bytes: Buffer;
  readonly #isEnd: boolean;
  #next = 0;
  #damaged = 0;
  /** The event found last: its number, and where it lies in the bytes. */
  index = 0;
  start = 0;
  end = 0;
  /** How long after the segment's base time it was accepted, in milliseconds; undefined where that is not known. */
  age: number | undefined;

  /** @param isEnd Whether nothing follows these bytes; if not, a frame cut short at their end is no damage. */
  constructor(bytes: Buffer, isEnd: boolean) {
    this.#bytes = bytes;
    this.#isEnd = isEnd;
  }

  /** Where the frame after the one found last starts. */
  get offset(): number {
    return this.#next;
  }

  /** Where the frame found last starts. */
  get frameStart(): number {
    return this.start - FRAME_HEADER_BYTES;
  }

  /** Bytes passed over because they are not intact frames. */
  get damaged(): number {
    return this.#damaged;
  }

  /** Finds the next intact frame. False at the end. */
  next(): boolean {
    while (this.#next < this.#bytes.length) {
      const found = this.#parse(this.#next);
      if (found === 'intact') return true;
      if (found === 'cut short' && !this.#isEnd) return false;
      const mark = this.#bytes.indexOf(MARK, this.#next + 1);
      const resume = mark < 0 ? this.#bytes.length : mark;
      this.#damaged += resume - this.#next;
      this.#next = resume;
    }
    return false;
  }

  #parse(at: number): 'intact' | 'cut short' | 'damaged' {
    const bytes = this.#bytes;
    const left = bytes.length - at;
    if (left < FRAME_HEADER_BYTES) return 'cut short';
    if (bytes[at] !== 0xff || bytes[at + 1] !== 0xfe) return 'damaged';
    const length = bytes.readUInt32LE(at + LENGTH_AT);
    const index = bytes.readUInt32LE(at + INDEX_AT);
    const age = bytes.readUInt32LE(at + AGE_AT);
    const start = at + FRAME_HEADER_BYTES;
    if (length > left - FRAME_HEADER_BYTES) return 'cut short';
    if (checksum(bytes, at, start + length) !== bytes.readUInt32LE(at + CHECKSUM_AT)) return 'damaged';
    this.index = index;
    this.start = start;
    this.end = start + length;
    this.age = age === NO_AGE ? undefined : age;
    this.#next = this.end;
    return 'intact';
  }
}
