import type { OpenFile } from '../disk/file-system.ts';
import { FRAME_HEADER_BYTES, largerPart } from '../format/frame.ts';
import { FrameIds, type IntactRun, IntactRuns } from '../format/intact-runs.ts';
import { SEGMENT_HEADER_BYTES } from '../format/segment-header.ts';

/** So much is looked at before others have their turn. */
const PART_BYTES = 32 * 1024;
const BLANK = Buffer.alloc(PART_BYTES);

/** How much of the end of a file is read to find the index of its last event. */
const TAIL_BYTES = 64 * 1024;
/** If the last event is larger than that, the next read takes this many times more, but not more than the most. */
const TAIL_GROWTH = 8;
const MOST_TAIL_BYTES = TAIL_BYTES * TAIL_GROWTH;

/** What is in a damaged file. */
interface Scan {
  /** The id that its frames carry. */
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
  file: OpenFile,
  { id, end, size }: { readonly id: number; readonly end: number; readonly size: number },
): Promise<{ readonly end: number; readonly isIntact: boolean }> {
  for (let length = TAIL_BYTES; length <= MOST_TAIL_BYTES; length *= TAIL_GROWTH) {
    const start = Math.max(SEGMENT_HEADER_BYTES, size - length);
    const found = new IntactRuns(id);
    found.add(await readPart(file, start, size - start), start, 0);
    const runs = found.all;
    const isAll = start === SEGMENT_HEADER_BYTES;
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
export async function scanFile(file: OpenFile, size: number, id: number | undefined): Promise<Scan> {
  const findRuns = async (start: number, candidate: number) => {
    const found = new IntactRuns(candidate);
    await inParts(file, start, size, (bytes, at, rest) => found.add(bytes, at, rest));
    return { id: candidate, runs: found.all, damaged: found.damaged };
  };
  if (id !== undefined) return { isBlank: false, ...(await findRuns(SEGMENT_HEADER_BYTES, id)) };
  const { ids, isBlank } = await findIds(file, size);
  for (const candidate of ids) {
    const found = await findRuns(0, candidate);
    if (found.runs.length > 0) return { isBlank, ...found };
  }
  return { id: 0, runs: [], damaged: size, isBlank };
}

async function findIds(
  file: OpenFile,
  size: number,
): Promise<{ readonly ids: readonly number[]; readonly isBlank: boolean }> {
  const ids = new FrameIds();
  let isBlank = true;
  await inParts(file, 0, size, (bytes, _at, rest) => {
    ids.add(bytes);
    isBlank &&= bytes.equals(BLANK.subarray(0, bytes.length));
    return rest === 0 ? bytes.length : bytes.length - FRAME_HEADER_BYTES + 1;
  });
  return { ids: ids.first, isBlank };
}

/**
 * Reads a file part by part, into the same memory.
 *
 * @param look Gets bytes, where they start, and how many follow. Returns how much of them need not be in the next part.
 */
export async function inParts(
  file: OpenFile,
  start: number,
  size: number,
  look: (bytes: Buffer, at: number, rest: number) => number | Promise<number>,
): Promise<void> {
  let memory = Buffer.allocUnsafe(Math.min(PART_BYTES, size));
  let length = PART_BYTES;
  for (let at = start; at < size; ) {
    const wanted = Math.min(length, size - at);
    const rest = size - at - wanted;
    if (memory.length < wanted) memory = Buffer.allocUnsafe(wanted);
    const bytes = memory.subarray(0, await file.read(memory.subarray(0, wanted), at));
    const used = await look(bytes, at, rest);
    // Or somebody cut the file.
    if (rest === 0 || bytes.length < wanted) return;
    at += used;
    length = used > 0 ? PART_BYTES : largerPart(length);
  }
}

export async function readPart(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, await file.read(bytes, position));
}
