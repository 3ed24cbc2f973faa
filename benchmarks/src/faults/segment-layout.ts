/*
 * A second reading of packages/core/FORMAT.md, on purpose not the package's own: what is intact after a damage must not
 * be decided by the code that is tested.
 */
const HEADER_BYTES = 16;
const FRAME_HEADER_BYTES = 14;
const LENGTH_AT = 2;

/** Where a frame lies in its segment, and the event in it. */
export interface Frame {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The frames of a segment that is not damaged. */
export function readFrames(segment: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let start = HEADER_BYTES; start < segment.length; ) {
    const textStart = start + FRAME_HEADER_BYTES;
    const end = textStart + segment.readUInt32LE(start + LENGTH_AT);
    frames.push({ start, end, text: segment.toString('utf8', textStart, end) });
    start = end;
  }
  return frames;
}

/** Whether not one byte of a frame has changed. */
export function isIntact({ start, end }: Frame, original: Buffer, damaged: Buffer): boolean {
  return original.subarray(start, end).equals(damaged.subarray(start, end));
}
