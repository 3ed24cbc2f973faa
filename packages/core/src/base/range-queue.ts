import { type Range, rangeLength } from './range.ts';

/** A range, and the epoch in which its events were counted (see wait/epochs.ts). */
export interface EpochRange extends Range {
  readonly epoch: number;
  /** When its oldest event was accepted, or an earlier time, in milliseconds since 1970. Left out if not known. */
  readonly at?: number | undefined;
  /** Whether it is never joined with its neighbours: events that were sent together are sent together again. */
  readonly isWhole?: boolean | undefined;
}

/** A queue of ranges, first in, first out. Neighbouring ranges are joined, so that a large backlog needs few ranges. */
export class RangeQueue {
  // Two stacks instead of an array with shift(): taking from the front costs the same at any length.
  #front: EpochRange[] = [];
  #back: EpochRange[] = [];
  #count = 0;

  /** Events in all ranges. */
  get count(): number {
    return this.#count;
  }

  push(range: EpochRange): void {
    if (rangeLength(range) === 0) return;
    this.#count += rangeLength(range);
    // The front is in reverse order: its first element is the last range.
    const isInFront = this.#back.length === 0;
    const last = isInFront ? this.#front[0] : this.#back.at(-1);
    const { segment, epoch, isWhole } = range;
    const isNeighbour = last?.segment === segment && last.epoch === epoch && last.to === range.from;
    if (!isNeighbour || isWhole || last.isWhole) this.#back.push(range);
    else if (isInFront) this.#front[0] = { ...last, to: range.to };
    else this.#back[this.#back.length - 1] = { ...last, to: range.to };
  }

  /** Adds a range before all others. */
  unshift(range: EpochRange): void {
    if (rangeLength(range) === 0) return;
    this.#count += rangeLength(range);
    this.#front.push(range);
  }

  /** All ranges, in order. */
  get ranges(): EpochRange[] {
    return [...this.#front.toReversed(), ...this.#back];
  }

  /** Replaces each range by the ranges that the callback returns, in order. */
  replace(callback: (range: EpochRange) => readonly EpochRange[]): void {
    const { ranges } = this;
    this.#front = [];
    this.#back = [];
    this.#count = 0;
    for (const range of ranges) for (const other of callback(range)) this.push(other);
  }

  /** Removes the events of a range, or puts the range that `other` returns in their place. Returns how many events it found. */
  cut(gone: Range, other?: (part: EpochRange) => EpochRange | undefined): number {
    let count = 0;
    this.replace((range) => {
      const from = Math.max(range.from, gone.from);
      const to = Math.min(range.to, gone.to);
      if (range.segment !== gone.segment || from >= to) return [range];
      count += to - from;
      const placed = other?.({ ...range, from, to });
      return [{ ...range, to: from }, ...(placed ? [placed] : []), { ...range, from: to }];
    });
    return count;
  }

  /** The first range. */
  peek(): EpochRange | undefined {
    if (this.#front.length === 0) {
      this.#front = this.#back.reverse();
      this.#back = [];
    }
    return this.#front.at(-1);
  }

  /** Removes the first `count` events of the first range, which must hold that many. Returns their range. */
  shift(count: number): EpochRange {
    const first = this.peek();
    if (first === undefined || rangeLength(first) < count) {
      throw new RangeError(`cannot take ${count} events from ${first ? rangeLength(first) : 0}`);
    }
    const taken = { ...first, to: first.from + count };
    this.#front.pop();
    if (taken.to < first.to) this.#front.push({ ...first, from: taken.to });
    this.#count -= count;
    return taken;
  }
}
