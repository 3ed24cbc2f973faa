import type { Span } from '../../../base/range.ts';
import type { OpenFile } from '../disk/file-system.ts';
import { FRAME_HEADER_BYTES, FrameReader, findIds, largerPart } from '../format/frame.ts';
import { SegmentHeader } from '../format/segment-header.ts';

/**
 * Intact events. The frame of the first one is at `offset`, and the others follow it in order. After many runs, a run may be in pieces:
 * between them are damage, and the events that it destroyed.
 */
export interface IntactRun extends Span {
  readonly offset: number;
  /** Where the last frame ends, if the run is in pieces. */
  readonly end?: number;
}

/** A run is split at this length, so that a read in its middle need not start far before. */
const LONGEST_RUN_BYTES = 128 * 1024;
/** After so many runs, pieces with damage between them become one run: a file in many pieces takes little memory. */
const MOST_WHOLE_RUNS = 64;
/** The most runs where indexes do not rise in the file. Damage to one segment makes fewer. */
const MOST_RUNS = 64 * 1024;
/** At most this many ids are tried if the header is damaged. */
const MOST_IDS = 8;
const MOST_COUNTED = 1_000;

/** Finds all intact events of a damaged segment, wherever they are in the file. Also counts the damaged bytes. */
export class IntactRuns {
  readonly #id: number;
  readonly #found: { from: number; to: number; offset: number; end?: number }[] = [];
  /** Where the last frame ended. */
  #end = 0;
  #missing = 0;
  /** Whether indexes rise in the file. If not, what is missing between pieces may lie elsewhere. */
  #isInOrder = true;
  damaged = 0;

  /** @param id The id of the segment. */
  constructor(id: number) {
    this.#id = id;
  }

  /** In the order of their indexes. */
  get all(): readonly IntactRun[] {
    return withoutRepeats(this.#found);
  }

  /**
   * Takes a part of the file, which starts at an offset. Returns how much of it need not be in the next part.
   *
   * @param rest How many bytes follow it.
   */
  add(bytes: Buffer, start: number, rest: number): number {
    const reader = new FrameReader(bytes, this.#id, rest);
    while (reader.next())
      if (!this.#take(reader.index, start + reader.frameStart, start + reader.offset))
        this.damaged += reader.offset - reader.frameStart;
    this.damaged += reader.damaged;
    return reader.offset;
  }

  /** Takes an event whose frame is at `offset`. Returns false if there are too many runs. */
  #take(index: number, offset: number, end: number): boolean {
    const run = this.#found.at(-1);
    const missing = index - (run?.to ?? index);
    // After damage, a frame does not start where the one before it ended.
    const isNext = missing === 0 && offset === this.#end;
    this.#isInOrder &&= missing >= 0;
    const follows = run !== undefined && (isNext || this.#isPiece(missing, offset));
    if (follows) this.#missing += missing;
    if (follows && offset - run.offset < LONGEST_RUN_BYTES) {
      run.to = index + 1;
      if (!isNext || run.end !== undefined) run.end = end;
    } else if (follows || this.#found.length < MOST_RUNS) {
      this.#found.push({ from: index, to: index + 1, offset });
    } else return false;
    this.#end = end;
    return true;
  }

  /** Whether an event is another piece of the last run. No more events are missing than the file had room for so far. */
  #isPiece(missing: number, offset: number): boolean {
    const hasRoom = (this.#missing + missing) * FRAME_HEADER_BYTES <= offset;
    return this.#found.length >= MOST_WHOLE_RUNS && this.#isInOrder && hasRoom;
  }
}

const PART_BYTES = 32 * 1024;
const BLANK = Buffer.alloc(PART_BYTES);

/** How much of the end of a file is read to find the index of its last event. */
const TAIL_BYTES = 64 * 1024;
/** If the last event is larger than that, the next read takes this many times more, but not more than the most. */
const TAIL_GROWTH = 8;
const MOST_TAIL_BYTES = TAIL_BYTES * TAIL_GROWTH;

/** What is in a damaged file. */
interface Scan {
  readonly id: number;
  readonly runs: readonly IntactRun[];
  /** Bytes that are no intact frames. */
  readonly damaged: number;
  /** All zero: what a power cut leaves of a file that was never synced. */
  readonly isBlank: boolean;
}

/**
 * Finds the index after the last event, and whether the end of the file is intact. `end`: the index of its first event. Reads only
 * the end of the file. If the last event is very large, that is not enough.
 */
export async function findEnd(
  file: Pick<OpenFile, 'read'>,
  { id, end, size }: { readonly id: number; readonly end: number; readonly size: number },
): Promise<{ readonly end: number; readonly isIntact: boolean }> {
  for (let length = TAIL_BYTES; length <= MOST_TAIL_BYTES; length *= TAIL_GROWTH) {
    const start = Math.max(SegmentHeader.BYTES, size - length);
    const found = new IntactRuns(id);
    await inParts(file, start, size, (bytes, at, rest) => found.add(bytes, at, rest), length);
    const runs = found.all;
    const isAll = start === SegmentHeader.BYTES;
    const [first, last] = [runs[0], runs.at(-1)];
    if (first === undefined && !isAll) continue;
    // More events than fit into the file: somebody else wrote this.
    if (last && (last.to - end) * FRAME_HEADER_BYTES > size) break;
    // The bytes before the first frame may be the end of an earlier one.
    const before = isAll || first === undefined ? 0 : first.offset - start;
    const isIntact =
      found.damaged === before && runs.every(({ from }, at) => from === (runs[at - 1]?.to ?? from));
    return { end: last?.to ?? end, isIntact };
  }
  return { end, isIntact: false };
}

/** Looks at a whole file, part by part. @param id The id of the segment; undefined if its header is damaged. */
export async function scanFile(
  file: Pick<OpenFile, 'read'>,
  size: number,
  id: number | undefined,
): Promise<Scan> {
  const findRuns = async (start: number, candidate: number) => {
    const found = new IntactRuns(candidate);
    await inParts(file, start, size, (bytes, at, rest) => found.add(bytes, at, rest));
    return { id: candidate, runs: found.all, damaged: found.damaged };
  };
  if (id !== undefined) return { isBlank: false, ...(await findRuns(SegmentHeader.BYTES, id)) };
  const { ids, isBlank } = await candidatesIn(file, size);
  for (const candidate of ids) {
    const found = await findRuns(0, candidate);
    if (found.runs.length > 0) return { isBlank, ...found };
  }
  return { id: 0, runs: [], damaged: size, isBlank };
}

/** The ids of what looks like frames, the most frequent ones first. */
async function candidatesIn(file: Pick<OpenFile, 'read'>, size: number) {
  /** By signed numbers: the engine stores these without memory of their own. */
  const counts = new Map<number, number>();
  let isBlank = true;
  await inParts(file, 0, size, (bytes, _at, rest) => {
    // Without checksums: noise that looks like frames would cost one of all that follows, again and again.
    findIds(bytes, (id) => {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      if (counts.size > MOST_COUNTED) countDown(counts);
    });
    isBlank &&= bytes.equals(BLANK.subarray(0, bytes.length));
    return rest === 0 ? bytes.length : bytes.length - FRAME_HEADER_BYTES + 1;
  });
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return { ids: sorted.slice(0, MOST_IDS).map(([id]) => id >>> 0), isBlank };
}

/** Makes room: ids in noise are rare and go, the id of many frames stays (J. Misra and D. Gries, 1982). */
function countDown(counts: Map<number, number>): void {
  for (const [id, count] of counts) {
    if (count > 1) counts.set(id, count - 1);
    else counts.delete(id);
  }
}

/** Memory of the last read, for the next one. New memory for each of many files would wait for the garbage collector. */
let spare: Buffer | undefined;

/**
 * Reads a file part by part, into the same memory.
 *
 * @param look Gets bytes, where they start, and how many follow. Returns how much of them need not be in the next part.
 * @param partBytes How much is looked at before others have their turn.
 */
export async function inParts(
  file: Pick<OpenFile, 'read'>,
  start: number,
  size: number,
  look: (bytes: Buffer, at: number, rest: number) => number | Promise<number>,
  partBytes: number = PART_BYTES,
): Promise<void> {
  let memory = spare ?? Buffer.allocUnsafeSlow(partBytes);
  spare = undefined;
  let length = partBytes;
  for (let at = start; at < size; ) {
    const wanted = Math.min(length, size - at);
    const rest = size - at - wanted;
    if (memory.length < wanted) memory = Buffer.allocUnsafeSlow(wanted);
    const bytes = memory.subarray(0, await file.read(memory.subarray(0, wanted), at));
    const used = await look(bytes, at, rest);
    // Or somebody cut the file.
    if (rest === 0 || bytes.length < wanted) break;
    at += used;
    length = used > 0 ? partBytes : largerPart(length);
  }
  if (memory.length <= TAIL_BYTES) spare = memory;
}

/** Sorts the runs by index. An event that is there twice, because a block was written in two places, counts once. */
function withoutRepeats(found: readonly IntactRun[]): IntactRun[] {
  const runs: IntactRun[] = [];
  let end = 0;
  // Numbers are sorted many times faster than objects.
  const order = Float64Array.from(found, ({ from }, position) => from * 2 ** 20 + position).sort();
  for (const place of order) {
    const run = found[place % 2 ** 20];
    if (run === undefined || run.to <= end) continue;
    runs.push(run.from < end ? { ...run, from: end } : run);
    end = run.to;
  }
  return runs;
}
