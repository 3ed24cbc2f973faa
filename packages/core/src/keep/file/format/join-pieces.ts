import { basename, join } from 'node:path';
import { type EventBytes, mergeEvents } from '../../../base/event-bytes.ts';
import { errorCode, type FileSystem, type OpenFile } from '../disk/file-system.ts';
import { writeAll } from '../disk/write-all.ts';
import { inParts, readPart, scanFile } from '../segments/scan.ts';
import { NEVER_READABLE } from '../segments/segment.ts';
import { readAcknowledgements } from './acknowledgements.ts';
import { FRAME_HEADER_BYTES, FrameReader, framedLength, writeFrames } from './frame.ts';
import { IndexSet } from './index-set.ts';
import {
  newHeader,
  readHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  writeHeader,
} from './segment-header.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, JOINED_SUFFIX, MERGING_SUFFIX, SEGMENT_SUFFIX } from './suffixes.ts';

/** A hole in a file takes no room on the disk. */
const MOST_COPIED = 2 ** 27;

/**
 * Writes what waits in a segment of many pieces to a new one, without a gap: then it takes no more memory than any other. If the
 * process ends meanwhile, no event is lost and none is doubled: one rename puts the new segment in its place (see `filesIn`). Returns
 * the name of its file.
 *
 * @param name The name of the file of the segment.
 */
export async function joinPieces(fs: FileSystem, directory: string, name: string): Promise<string> {
  const stem = join(directory, basename(name, SEGMENT_SUFFIX));
  const joined = stem + JOINED_SUFFIX;
  const path = joined + MERGING_SUFFIX;
  const from = await fs.openToRead(stem + SEGMENT_SUFFIX);
  try {
    const size = (await from.stat()).size;
    const header = await headerOf(from, size);
    const released = await readReleased(fs, stem + ACKNOWLEDGEMENTS_SUFFIX, header.id);
    const to = await fs.create(path);
    try {
      await copyEvents(from, size, header, released, to);
      await to.sync();
    } finally {
      await to.close();
    }
  } catch (error) {
    await fs.remove(path).catch(() => undefined);
    throw error;
  } finally {
    await from.close();
  }
  await fs.rename(path, joined + SEGMENT_SUFFIX);
  await fs.syncDirectory(directory);
  return basename(joined) + SEGMENT_SUFFIX;
}

/** The header of a segment. If it is damaged, the id is that of its frames, and their age is unknown. */
async function headerOf(file: OpenFile, size: number): Promise<SegmentHeader> {
  const header = readHeader(await readPart(file, 0, Math.min(size, SEGMENT_HEADER_BYTES)));
  if (typeof header !== 'string') return header;
  return { id: (await scanFile(file, size, undefined)).id, first: 0, baseTime: Number.NaN };
}

async function readReleased(fs: FileSystem, path: string, id: number): Promise<IndexSet> {
  const released = new IndexSet();
  const release = (from: number, to: number) => {
    if (!released.isFull) released.add(from, to);
  };
  try {
    const file = await fs.openToRead(path);
    try {
      await inParts(file, 0, (await file.stat()).size, (bytes) =>
        readAcknowledgements(id, Number.POSITIVE_INFINITY, bytes, release),
      );
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!NEVER_READABLE.has(errorCode(error) ?? '')) throw error;
  }
  return released;
}

/** Copies the intact events that are not released, in the order of the file, each index once. */
async function copyEvents(
  from: OpenFile,
  size: number,
  { first, baseTime, id }: SegmentHeader,
  released: IndexSet,
  to: OpenFile,
): Promise<void> {
  const header = newHeader(0, baseTime);
  await writeAll(to, writeHeader(header), 0);
  /** By index. A segment has no more events than its file has room for: what has another index counts each time. */
  const copied = new Uint8Array(Math.min(Math.ceil(size / FRAME_HEADER_BYTES), MOST_COPIED));
  let count = 0;
  let position = SEGMENT_HEADER_BYTES;
  await inParts(from, 0, size, async (bytes, _at, rest) => {
    const events: EventBytes[] = [];
    const reader = new FrameReader(bytes, id, rest);
    while (reader.next()) {
      const { age = Number.NaN, index } = reader;
      if (copied[index - first] === 1 || released.gaps(index, index + 1).length === 0) continue;
      if (index - first < copied.length) copied[index - first] = 1;
      const text = bytes.subarray(reader.start, reader.end);
      events.push({
        bytes: text,
        ends: Uint32Array.of(text.length),
        times: Float64Array.of(baseTime + age),
      });
    }
    if (events.length > 0) {
      const group = mergeEvents(events);
      const frames = Buffer.alloc(framedLength(group));
      writeFrames(group, count, header, frames);
      await writeAll(to, frames, position);
      count += events.length;
      position += frames.length;
    }
    return reader.offset;
  });
}
