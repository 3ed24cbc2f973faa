import { type Range, rangeLength, without } from './range.ts';

/** Ranges in the order in which they came. Neighbours are joined, so that many events need few ranges. */
export class RangeList {
  #ranges: Range[] = [];
  #count = 0;

  /** Events in all ranges. */
  get count(): number {
    return this.#count;
  }

  /** All ranges, in order. A copy. */
  get ranges(): Range[] {
    return [...this.#ranges];
  }

  get first(): Range | undefined {
    return this.#ranges[0];
  }

  push(range: Range): void {
    const { segment, from, to } = range;
    if (from === to) return;
    this.#count += rangeLength(range);
    const last = this.#ranges.at(-1);
    if (last?.segment === segment && last.to === from) {
      this.#ranges[this.#ranges.length - 1] = { ...last, to };
    } else this.#ranges.push(range);
  }

  /** Replaces each range by the ranges that the callback returns, in order. */
  replace(callback: (range: Range) => readonly Range[]): void {
    const { ranges } = this;
    this.#ranges = [];
    this.#count = 0;
    for (const range of ranges) for (const other of callback(range)) this.push(other);
  }

  /** Removes the events of a range. Returns how many it found. */
  cut(gone: Range): number {
    const before = this.#count;
    this.replace((range) => (range.segment === gone.segment ? without(range, gone) : [range]));
    return before - this.#count;
  }
}
