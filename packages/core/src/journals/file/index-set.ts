interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A set of event numbers, kept as intervals: as small as the order in which they come is regular. */
export class IndexSet {
  #intervals: Interval[] = [];

  /** Whether it holds every number below `count`. */
  covers(count: number): boolean {
    const first = this.#intervals[0];
    return count === 0 || (first !== undefined && first.from === 0 && first.to >= count);
  }

  /** Adds the numbers `from` (inclusive) to `to` (exclusive); those that are in it already change nothing. */
  add(from: number, to: number): void {
    if (to <= from) return;
    const last = this.#intervals.at(-1);
    if (last !== undefined && last.to === from) {
      this.#intervals[this.#intervals.length - 1] = { from: last.from, to };
      return;
    }
    const touching = this.#intervals.filter((interval) => interval.from <= to && interval.to >= from);
    const merged = {
      from: Math.min(from, ...touching.map((interval) => interval.from)),
      to: Math.max(to, ...touching.map((interval) => interval.to)),
    };
    this.#intervals = this.#intervals.filter((interval) => !touching.includes(interval));
    const place = this.#intervals.findIndex((interval) => interval.from > merged.from);
    this.#intervals.splice(place < 0 ? this.#intervals.length : place, 0, merged);
  }

  /** Calls back with each run of numbers between `from` and `to` that is not in the set. */
  forEachGap(from: number, to: number, callback: (from: number, to: number) => void): void {
    let start = from;
    for (const interval of this.#intervals) {
      if (interval.to <= start) continue;
      if (interval.from >= to) break;
      if (interval.from > start) callback(start, interval.from);
      start = interval.to;
    }
    if (start < to) callback(start, to);
  }
}
