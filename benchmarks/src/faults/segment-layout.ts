import { crc32 } from 'node:zlib';

/*
 * A second reader of the format in packages/core/FORMAT.md. It does not use the package, because the code under test must not
 * decide what is intact after damage.
 */
export const HEADER_BYTES = 32;
const VERSION_AT = 8;
const HEADER_CRC_AT = 28;
const FRAME_HEADER_BYTES = 22;
const LENGTH_AT = 10;
const INDEX_AT = 14;
const ACKNOWLEDGEMENT_BYTES = 12;

/** The position of a frame in its segment, and its event. */
export interface Frame {
  readonly start: number;
  readonly end: number;
  readonly index: number;
  readonly text: string;
}

/** The frames of an undamaged segment. */
export function readFrames(segment: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let start = HEADER_BYTES; start < segment.length; ) {
    const textStart = start + FRAME_HEADER_BYTES;
    const end = textStart + segment.readUInt32LE(start + LENGTH_AT);
    const index = segment.readUInt32LE(start + INDEX_AT);
    frames.push({ start, end, index, text: segment.toString('utf8', textStart, end) });
    start = end;
  }
  return frames;
}

/** Whether all bytes of a frame are still there, at any position. */
export function isIntact({ start, end }: Frame, original: Buffer, damaged: Buffer): boolean {
  return damaged.includes(original.subarray(start, end));
}

/** The indexes that an undamaged file of acknowledgements releases. */
export function readReleased(acknowledgements: Buffer): Set<number> {
  const released = new Set<number>();
  for (let at = 0; at < acknowledgements.length; at += ACKNOWLEDGEMENT_BYTES) {
    const to = acknowledgements.readUInt32LE(at + 4);
    for (let index = acknowledgements.readUInt32LE(at); index < to; index += 1) released.add(index);
  }
  return released;
}

/** The same segment, with the header of a later version of the format. */
export function ofLaterVersion(segment: Buffer): Buffer {
  const later = Buffer.from(segment);
  later[VERSION_AT] = (later[VERSION_AT] ?? 0) + 1;
  later.writeUInt32LE(crc32(later.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  return later;
}
