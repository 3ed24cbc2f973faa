import type { Span } from '../../../base/range.ts';
import { FrameReader } from './frame.ts';

/** Intact events with no bytes between their frames. The first frame is at `offset`. */
export interface IntactRun extends Span {
  readonly offset: number;
}

/** A run is split at this length, so that a read in its middle need not start far before. */
const LONGEST_RUN_BYTES = 128 * 1024;

/**
 * Finds all intact events of a damaged segment, wherever they are in the file, sorted by index. Also counts the damaged
 * bytes.
 *
 * @param id The id of the segment.
 * @param start Where its frames begin.
 */
export function findIntactRuns(
  bytes: Buffer,
  id: number,
  start: number,
): { runs: IntactRun[]; damaged: number } {
  const found: IntactRun[] = [];
  const reader = new FrameReader(bytes.subarray(start), id, true);
  let run: IntactRun | undefined;
  for (let offset = start; reader.next(); offset = start + reader.offset) {
    // After damage, a frame does not start where the one before it ended.
    const frameOffset = start + reader.frameStart;
    const continues = run?.to === reader.index && frameOffset === offset;
    if (run !== undefined && continues && frameOffset - run.offset < LONGEST_RUN_BYTES) {
      run = { ...run, to: reader.index + 1 };
      found[found.length - 1] = run;
    } else {
      run = { from: reader.index, to: reader.index + 1, offset: frameOffset };
      found.push(run);
    }
  }
  return { runs: withoutRepeats(found), damaged: reader.damaged };
}

/** The id of a segment whose header is damaged: the id in most of its frames. Undefined if there is no frame. */
export function findId(bytes: Buffer): number | undefined {
  const counts = new Map<number, number>();
  const reader = new FrameReader(bytes, undefined, true);
  while (reader.next()) counts.set(reader.id, (counts.get(reader.id) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The first run that ends after an index. */
export function runBehind(runs: readonly IntactRun[], index: number): IntactRun | undefined {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.to ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return runs[low];
}

/** Sorts the runs by index. An event that is there twice, because a block was written in two places, counts once. */
function withoutRepeats(found: readonly IntactRun[]): IntactRun[] {
  const runs: IntactRun[] = [];
  let end = 0;
  for (const run of [...found].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (run.to <= end) continue;
    runs.push({ ...run, from: Math.max(run.from, end) });
    end = run.to;
  }
  return runs;
}
