import type { Span } from '../../../base/range.ts';
import { FRAME_HEADER_BYTES, FrameReader, findIds } from './frame.ts';

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
/** If the indexes do not rise in the file. Damage to a segment makes fewer. */
const MOST_RUNS = 64 * 1024;
/** So many ids are tried where no header says which one it is. */
const MOST_IDS = 8;
const MOST_COUNTED = 1_000;

/** Finds all intact events of a damaged segment, wherever they are in the file. Also counts the damaged bytes. */
export class IntactRuns {
  readonly #id: number;
  readonly #found: { from: number; to: number; offset: number; end?: number }[] = [];
  /** Where the last frame ended. */
  #end = 0;
  /** How many events are missing between the pieces of runs. */
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

/** The ids of what looks like frames, in parts of a file, by how many carry each. */
export class FrameIds {
  /** By signed numbers: the engine stores these without memory of their own. */
  readonly #counts = new Map<number, number>();

  /** Without checksums: noise that looks like frames would cost one of all that follows, again and again. */
  add(bytes: Buffer): void {
    findIds(bytes, (id) => {
      this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
      if (this.#counts.size > MOST_COUNTED) this.#countDown();
    });
  }

  /** Makes room. What noise has is rare, and goes; the id of many frames stays, wherever they lie (J. Misra and D. Gries, 1982). */
  #countDown(): void {
    for (const [id, count] of this.#counts) {
      if (count > 1) this.#counts.set(id, count - 1);
      else this.#counts.delete(id);
    }
  }

  /** The most frequent ones. */
  get first(): readonly number[] {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a);
    return sorted.slice(0, MOST_IDS).map(([id]) => id >>> 0);
  }
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
