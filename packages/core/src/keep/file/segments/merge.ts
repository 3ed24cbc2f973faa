import { basename, dirname, join } from 'node:path';
import { storageError } from '../../../base/errors/storage-error.ts';
import { type EventBytes, mergeEvents, sliceEvents } from '../../../base/event-bytes.ts';
import { type FileSystem, readWhole, unlessMissing, writeAll } from '../disk/file-system.ts';
import { framedLength, MOST_SPREAD_MS, wholeSegment } from '../format/frame.ts';
import {
  ACKNOWLEDGEMENTS_SUFFIX,
  SEGMENT_SUFFIX,
  SegmentHeader,
  segmentName,
} from '../format/segment-header.ts';
import type { Site } from '../site.ts';
import { OpenFiles } from './open-files.ts';
import { Segment } from './segment.ts';

/** Up to this many segments are not merged. */
const FEW = 4;
/** Larger segments are not merged. */
const SMALL_BYTES = 256 * 1024;
/** How much is merged at once, because it is in memory. */
const MOST_BYTES = 1024 * 1024;
/** An event counts as this many bytes at least, because each takes time and memory. */
const LEAST_EVENT_BYTES = 256;
const LIMIT = { maxEvents: SMALL_BYTES / LEAST_EVENT_BYTES, maxBytes: SMALL_BYTES };
const ONE = { maxEvents: 1, maxBytes: 0 };
/** The segment that replaces others, until it is complete. */
const MERGING_SUFFIX = '.merging';
/** The name of a segment that replaces others: those from the first number to the second one. */
const MERGED = /^(\d{8})-(\d{8})\.segment$/;

interface SmallSegment {
  /** The path of both files, without the suffix. */
  readonly stem: string;
  readonly baseTime: number;
  /** The time that orders its first event: an event is never before one that was written before it. */
  readonly order: number;
  /** What waits in it. */
  readonly events: readonly { readonly event: EventBytes; readonly order: number }[];
}

/**
 * Many processes that lived briefly leave many small segments. Writes what waits in those of some directories to one new segment,
 * in the order of time. If the process ends meanwhile, no event is lost and none is doubled: the small segments first move to
 * one directory, and then one rename puts the new one in their place (see `filesIn`). Returns the directories with new segments.
 * Segments that cannot be merged stay as they are.
 *
 * @param makeDirectory Makes a directory of this process for the new segment.
 */
export async function mergeSmall(
  directories: readonly string[],
  site: Site,
  makeDirectory: () => Promise<string>,
): Promise<string[]> {
  const { fs, segmentBytes } = site;
  const mostBytes = Math.min(MOST_BYTES, segmentBytes);
  const merged: string[] = [];
  let batch: SmallSegment[] = [];
  let bytes = 0;
  const mergeBatch = async () => {
    const first = Math.min(...batch.map(({ baseTime }) => baseTime));
    // Their new names say this order, also to a process that finds this merge interrupted.
    const segments = batch
      .filter(({ order }) => order - first < MOST_SPREAD_MS)
      .sort((one, other) => one.order - other.order);
    batch = [];
    bytes = 0;
    if (segments.length <= FEW) return;
    try {
      const directory = await makeDirectory();
      // Also if the merge fails: some of the segments may be there.
      merged.push(directory);
      await merge(fs, segments, first, directory);
    } catch (cause) {
      site.observer?.failed(storageError(`cannot merge ${segments.length} small files`, cause));
    }
  };
  for (const stems of await findSmall(fs, directories, Math.min(SMALL_BYTES, segmentBytes / 2))) {
    let last: SmallSegment | undefined;
    for (const stem of stems) {
      // The clock may have been set back between two files of one process.
      const segment = await readSmall(fs, stem, last?.events.at(-1)?.order).catch(() => undefined);
      // What stays of a process must be newer than what is merged of it.
      if (segment === undefined) break;
      const sizes = segment.events.map(({ event }) => Math.max(LEAST_EVENT_BYTES, framedLength(event)));
      const more = sizes.reduce((total, size) => total + size, 0);
      if (bytes + more > mostBytes) {
        await mergeBatch();
        if (last) break;
      }
      last = segment;
      batch.push(segment);
      bytes += more;
    }
  }
  await mergeBatch();
  return merged;
}

/** The names of the files in a directory. Ends a merge that was interrupted. */
export async function filesIn(directory: string, fs: FileSystem): Promise<string[]> {
  const entries = await fs.list(directory);
  const names = entries.flatMap(({ name, kind }) => (kind === 'file' ? [name] : [])).sort();
  const replaced = replacedBy(names);
  // After a power cut, the segment that replaces others must have its name.
  if (replaced.length > 0) await fs.syncDirectory(directory);
  const litter = new Set([...replaced, ...names.filter((name) => name.endsWith(MERGING_SUFFIX))]);
  for (const name of litter) await fs.remove(join(directory, name));
  return names.filter((name) => !litter.has(name));
}

/** The names of the files that other segments among these replace. */
export function replacedBy(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const [, first, last] = MERGED.exec(name) ?? [];
    if (first === undefined || last === undefined) return [];
    return names.filter((other) => {
      const [number = ''] = /^\d{8}(?=\.)/.exec(other) ?? [];
      return number >= first && number <= last;
    });
  });
}

/** The small segments with which each directory begins. */
async function findSmall(fs: FileSystem, directories: readonly string[], smallBytes: number) {
  const found: string[][] = [];
  for (const directory of directories) {
    const stems: string[] = [];
    for (const name of await filesIn(directory, fs)) {
      if (!name.endsWith(SEGMENT_SUFFIX)) continue;
      if ((await fs.sizeOf(join(directory, name))) >= smallBytes) break;
      stems.push(join(directory, basename(name, SEGMENT_SUFFIX)));
    }
    found.push(stems);
  }
  return found.flat().length > FEW ? found : [];
}

/** Reads a small segment. Undefined if nothing waits in it, or if not all of it is intact: then it stays as it is. */
async function readSmall(fs: FileSystem, stem: string, before = 0): Promise<SmallSegment | undefined> {
  const files = new OpenFiles(fs, 2);
  let isIntact = (await fs.sizeOf(stem + ACKNOWLEDGEMENTS_SUFFIX)) <= SMALL_BYTES;
  const broken = () => {
    isIntact = false;
  };
  const context = {
    site: { fs, observer: { damaged: broken, failed: broken } },
    ...{ files, onMissing: broken },
  };
  const segment = new Segment(context, 1, dirname(stem), basename(stem));
  const events: SmallSegment['events'][number][] = [];
  try {
    const waiting = isIntact ? await segment.recover() : [];
    const { baseTime, end, from: first } = segment;
    if (!waiting?.length || Number.isNaN(baseTime) || end - first > LIMIT.maxEvents) return undefined;
    const start = Math.max(before, baseTime);
    let order = start;
    for (const { from, to } of waiting)
      for (let at = from; at < to && isIntact; ) {
        const reading = await segment.read({ segment: 1, from: at, to }, LIMIT);
        for (const [index, time] of reading.events.times?.entries() ?? []) {
          const event = sliceEvents(reading.events, index, ONE);
          order = Math.max(order, Number.isNaN(time) ? order : time);
          // A copy: the next read uses the same memory.
          events.push({ event: { ...event, bytes: Buffer.from(event.bytes) }, order });
        }
        at = reading.range.to;
      }
    return isIntact ? { stem, baseTime, order: start, events } : undefined;
  } finally {
    await files.closeAll();
  }
}

/** @param baseTime The earliest base time of the segments. */
async function merge(
  fs: FileSystem,
  segments: readonly SmallSegment[],
  baseTime: number,
  directory: string,
): Promise<void> {
  for (const [index, { stem }] of segments.entries()) {
    const to = join(directory, segmentName(index + 1));
    const reading = readWhole(fs, stem + ACKNOWLEDGEMENTS_SUFFIX, SMALL_BYTES);
    const records = await unlessMissing(reading, undefined);
    // The records go first: a crash before the rename leaves the segment and its records where they were.
    if (records?.length) await write(fs, to + ACKNOWLEDGEMENTS_SUFFIX, records);
    await fs.rename(stem + SEGMENT_SUFFIX, to + SEGMENT_SUFFIX);
  }
  // A power cut may undo the renames, but not what is removed now.
  await fs.syncDirectory(directory);
  for (const { stem } of segments) {
    await fs.remove(stem + ACKNOWLEDGEMENTS_SUFFIX);
    await fs.removeDirectory(dirname(stem)).catch(() => undefined);
  }
  const all = segments.flatMap(({ events }) => events).sort((one, other) => one.order - other.order);
  const events = mergeEvents(all.map(({ event }) => event));
  const stem = join(directory, `${segmentName(1)}-${segmentName(segments.length)}`);
  await write(fs, stem + MERGING_SUFFIX, wholeSegment(new SegmentHeader(0, baseTime), events));
  await fs.rename(stem + MERGING_SUFFIX, stem + SEGMENT_SUFFIX);
}

async function write(fs: FileSystem, path: string, bytes: Buffer): Promise<void> {
  const file = await fs.create(path);
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}
