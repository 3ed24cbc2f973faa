import { crc32 } from 'node:zlib';
import type { EventBytes } from '../../journal.ts';

/*
 * One frame holds one event (FORMAT.md):
 *
 *   FF FE | length u32 | index u32 | crc u32 | event
 *
 * Neither FF nor FE occurs in UTF-8, so no event can hold what looks like the start of a frame.
 */
const MARK = Buffer.from([0xff, 0xfe]);
const LENGTH_AT = 2;
const INDEX_AT = 6;
const CRC_AT = 10;

export const FRAME_HEADER_BYTES = 14;

/** Bytes that a group of events takes as frames. */
export function framedLength({ bytes, ends }: EventBytes): number {
  const commas = ends.length - 1;
  return bytes.length - commas + ends.length * FRAME_HEADER_BYTES;
}

/** Writes a group as frames, its first event with number `index`, to the start of `target`. */
export function writeFrames({ bytes, ends }: EventBytes, index: number, target: Buffer): void {
  let from = 0;
  let at = 0;
  for (let number = 0; number < ends.length; number += 1) {
    const to = ends[number] ?? 0;
    const event = bytes.subarray(from, to);
    target[at] = 0xff;
    target[at + 1] = 0xfe;
    target.writeUInt32LE(event.length, at + LENGTH_AT);
    target.writeUInt32LE(index + number, at + INDEX_AT);
    target.writeUInt32LE(checksum(event, index + number), at + CRC_AT);
    target.set(event, at + FRAME_HEADER_BYTES);
    at += FRAME_HEADER_BYTES + event.length;
    from = to + 1;
  }
}

/** The index is part of the checksum, so that a frame that was moved or renumbered is not taken for an intact one. */
function checksum(event: Uint8Array, index: number): number {
  return crc32(event, index);
}

/** Walks over frames and finds the next one after whatever is not an intact frame. */
export class FrameReader {
  readonly #bytes: Buffer;
  readonly #isEnd: boolean;
  #next = 0;
  #lastIndex = -1;
  #damaged = 0;
  /** The event found last: its number, and where it lies in the bytes. */
  index = 0;
  start = 0;
  end = 0;

  /** @param isEnd Whether nothing follows these bytes; if not, a frame cut short at their end is no damage. */
  constructor(bytes: Buffer, isEnd: boolean) {
    this.#bytes = bytes;
    this.#isEnd = isEnd;
  }

  /** Where the frame after the one found last starts. */
  get offset(): number {
    return this.#next;
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
    const start = at + FRAME_HEADER_BYTES;
    if (length > left - FRAME_HEADER_BYTES) return 'cut short';
    // Numbers only grow: a copy of an earlier frame is not the event again.
    if (index <= this.#lastIndex) return 'damaged';
    const event = bytes.subarray(start, start + length);
    if (checksum(event, index) !== bytes.readUInt32LE(at + CRC_AT)) return 'damaged';
    this.index = index;
    this.#lastIndex = index;
    this.start = start;
    this.end = start + length;
    this.#next = this.end;
    return 'intact';
  }
}
