import { join } from 'node:path';
import type { OpenFile } from '../../keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../keep/file/disk/node-file-system.ts';
import { FrameReader } from '../../keep/file/format/frame.ts';
import { SEGMENT_HEADER_BYTES } from '../../keep/file/format/segment-header.ts';
import { headerOf, inParts, scanFile } from '../../keep/file/segments/scan.ts';
import { lookAt, type SegmentPlace } from './slots.ts';

/** So many places are told of each file. */
const MOST_PLACES = 1_000;

/** A place in a segment where there is no intact event. */
export interface DamagedPlace {
  /** Bytes of the file, from the first to the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** What was found in a segment, all of which was read. */
export interface VerifiedSegment {
  readonly path: string;
  readonly bytes: number;
  /** Number of intact events, released ones too. */
  readonly events: number;
  /** Events that are missing between others, or are not intact. */
  readonly missing: number;
  /** At most 1,000 places. */
  readonly damage: readonly DamagedPlace[];
  /** Whether another version of Sluice wrote it: then it was not read. */
  readonly isForeign: boolean;
}

/** Reads all of a segment. Undefined if its file is gone. */
export function verifySegment(place: SegmentPlace): Promise<VerifiedSegment | undefined> {
  const path = join(place.directory, place.name);
  return lookAt(place, async (isLast) => {
    const found = { path, ...(await verifyFile(path)) };
    return found.damage.length === 0 || isLast ? found : undefined;
  });
}

async function verifyFile(path: string): Promise<Omit<VerifiedSegment, 'path'>> {
  const file = await nodeFileSystem.openToRead(path);
  try {
    const { size } = await file.stat();
    const header = await headerOf(file, size);
    const none = { bytes: size, events: 0, missing: 0, damage: [], isForeign: header === 'other version' };
    if (header === 'empty' || header === 'other version') return none;
    if (header !== 'damaged') return { ...none, ...(await readFrames(file, size, header)) };
    const { id, isBlank } = await scanFile(file, size, undefined);
    return isBlank ? none : { ...none, ...(await readFrames(file, size, { id, first: undefined })) };
  } finally {
    await file.close();
  }
}

/** @param header `first`: the index of the first event. Undefined if the header is damaged. */
async function readFrames(
  file: OpenFile,
  size: number,
  { id, first }: { readonly id: number; readonly first: number | undefined },
): Promise<Pick<VerifiedSegment, 'events' | 'missing' | 'damage'>> {
  const damage: DamagedPlace[] = [];
  let events = 0;
  let missing = 0;
  let next = first;
  let end = first === undefined ? 0 : SEGMENT_HEADER_BYTES;
  const found = (from: number, to: number) => {
    if (damage.length < MOST_PLACES) damage.push({ from, to });
  };
  await inParts(file, end, size, (bytes, at, rest) => {
    const reader = new FrameReader(bytes, id, rest);
    while (reader.next()) {
      const start = at + reader.frameStart;
      const isInOrder = reader.index === (next ?? reader.index);
      if (start > end || !isInOrder) found(end, start);
      missing += Math.max(0, reader.index - (next ?? reader.index));
      events += 1;
      next = reader.index + 1;
      end = at + reader.offset;
    }
    return reader.offset;
  });
  if (end < size) found(end, size);
  return { events, missing, damage };
}
