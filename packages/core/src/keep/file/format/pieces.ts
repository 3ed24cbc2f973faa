import type { Span } from '../../../base/range.ts';
import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import { findRuns } from '../segments/scan.ts';
import { type IntactRun, runBehind } from './intact-runs.ts';

/** So many missing events are told of in one turn of the event loop. */
const MOST_TOLD = 32;

interface PiecesOptions {
  readonly fs: Pick<FileSystem, 'endOfTurn'>;
  /** Returns the events that are not released, from one index to another. */
  readonly waiting: (from: number, to: number) => readonly Span[];
  /** Called when events are missing between the pieces of a run. */
  readonly onMissing: (missing: Span) => void;
}

/** Finds the intact events of a damaged file by their index. Of the runs in pieces, it knows the pieces of one at a time. */
export class Pieces {
  readonly #options: PiecesOptions;
  #runs: readonly IntactRun[] = [];
  /** The run that it looked into last. */
  #run: IntactRun | undefined;
  #pieces: readonly IntactRun[] = [];

  constructor(options: PiecesOptions) {
    this.#options = options;
  }

  /** Takes over what a scan found. */
  set(runs: readonly IntactRun[]): void {
    this.#runs = runs;
    this.#run = undefined;
  }

  /** The first run or piece that ends after an index. */
  async behind(file: OpenFile, id: number, index: number): Promise<IntactRun | undefined> {
    const run = runBehind(this.#runs, index);
    if (run?.end === undefined) return run;
    if (this.#run !== run) {
      const { runs } = await findRuns(file, run.offset, run.end, id, Number.POSITIVE_INFINITY);
      this.#pieces = runs.filter(({ from }) => from < run.to);
      this.#run = run;
      await this.#tell(run);
    }
    return runBehind(this.#pieces, index) ?? runBehind(this.#runs, run.to);
  }

  async #tell({ from: first }: IntactRun): Promise<void> {
    const { fs, waiting, onMissing } = this.#options;
    let at = first;
    let told = 0;
    for (const { from, to } of this.#pieces) {
      for (const missing of waiting(at, from)) {
        onMissing(missing);
        if (++told % MOST_TOLD === 0) await fs.endOfTurn?.();
      }
      at = to;
    }
  }
}
