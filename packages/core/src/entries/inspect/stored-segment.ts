import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { splitEvents } from '../../base/event-bytes.ts';
import type { Span } from '../../base/range.ts';
import { errorCode, type OpenFile } from '../../keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../keep/file/disk/node-file-system.ts';
import { FrameReader } from '../../keep/file/format/frame.ts';
import { SEGMENT_SUFFIX, SegmentHeader } from '../../keep/file/format/segment-header.ts';
import { OpenFiles } from '../../keep/file/segments/open-files.ts';
import { inParts, scanFile } from '../../keep/file/segments/scan.ts';
import { Segment } from '../../keep/file/segments/segment.ts';

const LOOKS = 3;
const LOOK_AGAIN_MS = 50;
const PAGE = { maxEvents: 1024, maxBytes: 512 * 1024 };
const ONE = { maxEvents: 1, maxBytes: 0 };
/** At most this many places are reported of each file. */
const MOST_PLACES = 1_000;

/** What is in a segment. */
export interface SegmentReport {
  readonly path: string;
  /** Number of events that are not released. */
  readonly waiting: number;
  /** Number of events that were delivered, became dead letters or were dropped. */
  readonly released: number;
  /** Bytes of its files. */
  readonly bytes: number;
  /** When the oldest waiting event was accepted, in milliseconds since 1970. Undefined if there is none, or if that is not known. */
  readonly oldestAt: number | undefined;
  /** Bytes that are no intact events, as far as its header and its end show. `verifyJournal()` reads all of it. */
  readonly damagedBytes: number;
  /** Whether another version of Sluice wrote it: then nothing else is known of it. */
  readonly isForeign: boolean;
}

/** What was found in a segment, all of which was read. */
export interface VerifiedSegment {
  readonly path: string;
  readonly bytes: number;
  /** Number of intact events, released ones too. */
  readonly events: number;
  /** Events that are missing between others, or are not intact. */
  readonly missing: number;
  /** Bytes of the file that are no intact events, `from` (inclusive) to `to` (exclusive). At most 1,000 places. */
  readonly damage: readonly { readonly from: number; readonly to: number }[];
  /** Whether another version of Sluice wrote it: then it was not read. */
  readonly isForeign: boolean;
}

/** An event, or a dead letter, as it is stored. */
interface StoredText {
  readonly text: Uint8Array;
  readonly isReleased: boolean;
  /** Whether the process is alive that keeps it. */
  readonly isAlive: boolean;
}

/**
 * A segment that is only read. What its methods find is undefined if its file is gone: its owner deletes what is delivered. A living
 * owner may be in the middle of a write, so that the last frame is not complete yet: they look again before they call it damage.
 */
export class StoredSegment {
  readonly #directory: string;
  readonly #name: string;
  readonly #isAlive: boolean;

  /**
   * @param name The name of its files, without the suffix.
   * @param isAlive Whether its owner is alive.
   */
  constructor(directory: string, name: string, isAlive: boolean) {
    this.#directory = directory;
    this.#name = name;
    this.#isAlive = isAlive;
  }

  /** Reads the start and the end of its file. */
  report(): Promise<SegmentReport | undefined> {
    return this.#recover(async (segment, waiting, damagedBytes) => {
      const spans = waiting ?? [];
      const count = spans.reduce((sum, { from, to }) => sum + to - from, 0);
      return {
        path: segment.path,
        waiting: count,
        released: segment.end - count,
        bytes: segment.bytes,
        oldestAt: await oldestIn(segment, spans),
        damagedBytes,
        isForeign: waiting === undefined,
      };
    });
  }

  /** The texts of its intact events. Those that are released are there as long as their file is. */
  texts(): Promise<StoredText[] | undefined> {
    return this.#recover(async (segment, waiting = []) => {
      const texts: StoredText[] = [];
      const read = async (from: number, to: number, isReleased: boolean) => {
        for (let at = from; at < to; ) {
          const { events, range } = await segment.read({ segment: 1, from: at, to }, PAGE);
          // The next read may use the same memory.
          const copies = splitEvents(events).map((text) => Uint8Array.from(text));
          texts.push(...copies.map((text) => ({ text, isReleased, isAlive: this.#isAlive })));
          at = range.to;
        }
      };
      let next = 0;
      for (const { from, to } of waiting) {
        await read(next, from, true);
        await read(from, to, false);
        next = to;
      }
      await read(next, segment.end, true);
      return texts;
    });
  }

  /** Reads every byte of its file. */
  verify(): Promise<VerifiedSegment | undefined> {
    const path = join(this.#directory, this.#name + SEGMENT_SUFFIX);
    return this.#look(async (isLast) => {
      const found = { path, ...(await verifyFile(path)) };
      return found.damage.length === 0 || isLast ? found : undefined;
    });
  }

  /** Calls `work` with the segment, its events that are not released, and how many damaged bytes there are. */
  #recover<Result>(
    work: (segment: Segment, waiting: readonly Span[] | undefined, damagedBytes: number) => Promise<Result>,
  ): Promise<Result | undefined> {
    return this.#look(async (isLast) => {
      let damagedBytes = 0;
      const files = new OpenFiles(nodeFileSystem, 1);
      const observer = {
        damaged(_path: string, bytes: number) {
          damagedBytes += bytes;
        },
        failed: () => {},
      };
      const context = {
        site: { fs: nodeFileSystem, observer },
        files,
        onMissing: () => {},
      };
      try {
        const segment = new Segment(context, 1, this.#directory, this.#name);
        const waiting = await segment.recover();
        return damagedBytes === 0 || isLast ? await work(segment, waiting, damagedBytes) : undefined;
      } finally {
        await files.closeAll();
      }
    });
  }

  /** Looks until there is a result. `isLast`: the result counts, whatever it is. */
  async #look<Result>(look: (isLast: boolean) => Promise<Result | undefined>): Promise<Result | undefined> {
    for (let looks = 1; ; looks += 1) {
      const isLast = !this.#isAlive || looks === LOOKS;
      try {
        const result = await look(isLast);
        if (result !== undefined || isLast) return result;
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
        return undefined;
      }
      await setTimeout(LOOK_AGAIN_MS);
    }
  }
}

async function oldestIn(segment: Segment, [first]: readonly Span[]): Promise<number | undefined> {
  if (first === undefined) return undefined;
  const { events } = await segment.read({ segment: 1, ...first }, ONE);
  return events.times?.[0] || undefined;
}

async function verifyFile(path: string): Promise<Omit<VerifiedSegment, 'path'>> {
  const file = await nodeFileSystem.openToRead(path);
  try {
    const { size } = await file.stat();
    const header = await SegmentHeader.read(file, size);
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
  const damage: VerifiedSegment['damage'][number][] = [];
  let events = 0;
  let missing = 0;
  let next = first;
  let end = first === undefined ? 0 : SegmentHeader.BYTES;
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
