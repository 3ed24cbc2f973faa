import { type Range, rangeLength } from './range.ts';

/** A range, and the epoch (see epochs.ts) in which its events were counted in. */
export interface EpochRange extends Range {
  readonly epoch: number;
  /** When its oldest event was accepted, or a time before that, in milliseconds since 1970. Left out where it is not known. */
  readonly at?: number | undefined;
  /** Whether it is not joined with its neighbours: what was sent together is sent again together. */
  readonly isWhole?: boolean | undefined;
}

/** Ranges of waiting events, first in, first out. Neighbours are joined, so that its length does not follow the backlog's. */
export class RangeQueue {
  // Two stacks in place of a shifted array: taking from the front costs the same at any length.
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
    // Of the front the last one is the first one.
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

  /** Puts other ranges in the place of each, in order. */
  replace(callback: (range: EpochRange) => readonly EpochRange[]): void {
    const { ranges } = this;
    this.#front = [];
    this.#back = [];
    this.#count = 0;
    for (const range of ranges) for (const other of callback(range)) this.push(other);
  }

  /** Takes a range out, or puts others in the place of each part of it that is in here. Returns how many events that are. */
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

  /** Takes the first `count` events of the first range, which must hold as many. */
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
