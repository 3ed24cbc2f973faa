import type { Span } from '../../../base/range.ts';

/** So many runs of released events are read from one file. More would take memory and time without bound. */
export const MOST_RELEASED_RUNS: number = 4 * 1024;

/** A set of event indexes, stored as sorted runs. Indexes that arrive in order take little memory. */
export class IndexSet {
  readonly #runs: Span[] = [];

  /** Whether it has as many runs as are read from one file. */
  get isFull(): boolean {
    return this.#runs.length >= MOST_RELEASED_RUNS;
  }

  /** Whether it contains every number below `count`. */
  covers(count: number): boolean {
    const first = this.#runs[0];
    return count === 0 || (first !== undefined && first.from === 0 && first.to >= count);
  }

  /** Adds the numbers `from` (inclusive) to `to` (exclusive). Numbers that are already in the set change nothing. */
  add(from: number, to: number): void {
    if (to <= from) return;
    // The usual order. A splice for each of thousands of runs would hold up the event loop.
    if ((this.#runs.at(-1)?.to ?? -1) < from) {
      this.#runs.push({ from, to });
      return;
    }
    const first = this.#firstEndingAt(from);
    let merged = { from, to };
    let behind = first;
    for (let next = this.#runs[behind]; next !== undefined && next.from <= to; ) {
      merged = { from: Math.min(merged.from, next.from), to: Math.max(merged.to, next.to) };
      behind += 1;
      next = this.#runs[behind];
    }
    this.#runs.splice(first, behind - first, merged);
  }

  /** The runs of numbers from `from` (inclusive) to `to` (exclusive) that are not in the set. */
  gaps(from: number, to: number): Span[] {
    const gaps: Span[] = [];
    let start = from;
    for (let index = this.#firstEndingAt(from); start < to; index += 1) {
      const run = this.#runs[index] ?? { from: to, to };
      if (run.from > start) gaps.push({ from: start, to: Math.min(run.from, to) });
      start = Math.max(start, run.to);
    }
    return gaps;
  }

  /** The position of the first run that ends at a number or after it. */
  #firstEndingAt(number: number): number {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle]?.to ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
