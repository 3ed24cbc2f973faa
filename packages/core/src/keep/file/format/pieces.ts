import { type EventBytes, type Limit, mergeEvents, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range, Span } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import { findRuns } from '../segments/scan.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import { type IntactRun, runBehind } from './intact-runs.ts';

/** So many missing events are told of in one turn of the event loop. */
const MOST_TOLD = 32;

interface PiecesOptions {
  readonly fs: Pick<FileSystem, 'endOfTurn'>;
  readonly reader: Pick<SegmentReader, 'readAt'>;
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

  /** Reads consecutive events from the start of a range, from as many pieces as they lie in. */
  async read(file: OpenFile, id: number, range: Range, { maxEvents, maxBytes }: Limit): Promise<Reading> {
    const parts: EventBytes[] = [];
    let [from, to, count, bytes] = [range.from, range.to, 0, 0];
    while (from < range.to && count < maxEvents && (count === 0 || bytes < maxBytes)) {
      const run = await this.#behind(file, id, from);
      const isMissing = run === undefined || run.from > from;
      to = Math.min((isMissing ? run?.from : run.to) ?? range.to, range.to);
      const left = { maxEvents: maxEvents - count, maxBytes: maxBytes - bytes };
      const reading =
        !isMissing && (await this.#options.reader.readAt(file, run.offset, { ...range, from, to }, left));
      if (!reading) break;
      const { events } = reading;
      if (count === 0 && reading.range.to < run.to) return reading;
      // The first event may be larger than what is left.
      if (count > 0 && events.bytes.length > left.maxBytes) break;
      // A copy: the next read uses the same memory.
      parts.push({ ...events, bytes: new Uint8Array(events.bytes) });
      count += events.ends.length;
      bytes += events.bytes.length + 1;
      from = reading.range.to;
    }
    if (count === 0) return { events: NO_EVENTS, range: { ...range, to } };
    return { events: mergeEvents(parts), range: { ...range, to: from } };
  }

  /** The first run or piece that ends after an index. */
  async #behind(file: OpenFile, id: number, index: number): Promise<IntactRun | undefined> {
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
