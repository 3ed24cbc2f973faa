interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A set of event indexes, stored as sorted intervals. Indexes that arrive in order take little memory. */
export class IndexSet {
  readonly #intervals: Interval[] = [];

  /** Whether it contains every number below `count`. */
  covers(count: number): boolean {
    const first = this.#intervals[0];
    return count === 0 || (first !== undefined && first.from === 0 && first.to >= count);
  }

  /** Adds the numbers `from` (inclusive) to `to` (exclusive). Numbers that are already in the set change nothing. */
  add(from: number, to: number): void {
    if (to <= from) return;
    const first = this.#firstEndingAt(from);
    let merged = { from, to };
    let behind = first;
    for (let next = this.#intervals[behind]; next !== undefined && next.from <= to; ) {
      merged = { from: Math.min(merged.from, next.from), to: Math.max(merged.to, next.to) };
      behind += 1;
      next = this.#intervals[behind];
    }
    this.#intervals.splice(first, behind - first, merged);
  }

  /** Calls `callback` with each run of numbers from `from` (inclusive) to `to` (exclusive) that is not in the set. */
  forEachGap(from: number, to: number, callback: (from: number, to: number) => void): void {
    let start = from;
    for (let index = this.#firstEndingAt(from); index < this.#intervals.length; index += 1) {
      const interval = this.#intervals[index];
      if (interval === undefined || interval.from >= to) break;
      if (interval.from > start) callback(start, interval.from);
      start = Math.max(start, interval.to);
    }
    if (start < to) callback(start, to);
  }

  /** The position of the first interval that ends at a number or after it. */
  #firstEndingAt(number: number): number {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#intervals[middle]?.to ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
