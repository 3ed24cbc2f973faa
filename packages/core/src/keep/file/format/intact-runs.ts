import type { Span } from '../../../base/range.ts';
import { FrameReader, findIds } from './frame.ts';
import { MOST_RUNS } from './index-set.ts';

/** Intact events with no bytes between their frames. The first frame is at `offset`. */
export interface IntactRun extends Span {
  readonly offset: number;
}

/** A run is split at this length, so that a read in its middle need not start far before. */
const LONGEST_RUN_BYTES = 128 * 1024;
/** So many ids are tried where no header says which one it is. */
const MOST_IDS = 8;
const MOST_COUNTED = 1_000;

/** Finds all intact events of a damaged segment, wherever they are in the file. Also counts the damaged bytes. */
export class IntactRuns {
  readonly #id: number;
  readonly #found: { from: number; to: number; offset: number }[] = [];
  /** Where the last frame ended. */
  #end = 0;
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
    while (reader.next()) {
      const offset = start + reader.frameStart;
      const run = this.#found.at(-1);
      // After damage, a frame does not start where the one before it ended.
      const continues = run?.to === reader.index && offset === this.#end;
      const to = reader.index + 1;
      if (run !== undefined && continues && offset - run.offset < LONGEST_RUN_BYTES) run.to = to;
      else if (this.#found.length < MOST_RUNS) this.#found.push({ from: reader.index, to, offset });
      else {
        this.damaged += reader.offset - reader.frameStart;
        continue;
      }
      this.#end = start + reader.offset;
    }
    this.damaged += reader.damaged;
    return reader.offset;
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
