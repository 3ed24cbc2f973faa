import type { Range } from '../base/range.ts';

/** The journal does not have the events. Segments of journals are positive. */
const NOWHERE = 0;
/** An append of the events is in progress. */
const HANDED = -1;
/** No journal will have the events: it was full. */
const FORSAKEN = -3;
/** The events were dropped, but still lie among the others of their parcel. */
const DROPPED = -2;

/** Consecutive events of a parcel that were tracked in one epoch, and that are in the same place. */
interface Run {
  readonly count: number;
  readonly epoch: number;
  /** A segment of the journal, or one of the constants above. */
  readonly segment: number;
  /** The index of the first event in its segment. */
  readonly from: number;
}

/** Indexes of events in a parcel: `from` (inclusive) to `to` (exclusive). */
export interface Indexes {
  readonly from: number;
  readonly to: number;
}

/** The number of events that belong to an epoch. */
export interface EpochCount {
  readonly epoch: number;
  readonly count: number;
}

/** Where the journal has the events of a parcel, in their order. */
export class Runs {
  #runs: Run[] = [];
  #length = 0;
  #unwritten = 0;
  #handed = 0;
  #dropped = 0;
  #forsaken = 0;

  /** @param range Where the journal has the events of an epoch; left out if there are none yet. */
  constructor(range?: Range, epoch: number = 0) {
    if (range) this.#add({ ...range, epoch, count: range.to - range.from });
  }

  /** Number of events, those that were dropped included. */
  get length(): number {
    return this.#length;
  }

  /** Number of events that no journal has or is given. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Number of events of which an append is in progress. */
  get handed(): number {
    return this.#handed;
  }

  /** Number of events that only memory has. */
  get volatile(): number {
    return this.#unwritten + this.#handed + this.#forsaken;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Number of places. */
  get size(): number {
    return this.#runs.length;
  }

  /** Adds events that no journal has. */
  push(epoch: number, count: number): void {
    this.#add({ count, epoch, segment: NOWHERE, from: 0 });
  }

  /** Adds all events of others behind these. */
  append(others: Runs): void {
    for (const run of others.#runs) this.#add(run);
  }

  slice(from: number, to: number): Runs {
    const slice = new Runs();
    let start = 0;
    for (const run of this.#runs) {
      const [first, last] = [clamp(from - start, run.count), clamp(to - start, run.count)];
      slice.#add(partOf(run, first, last));
      start += run.count;
    }
    return slice;
  }

  /** The first events, side by side, that are to be written. */
  get toWrite(): Indexes | undefined {
    return this.#unwritten > 0 ? this.#indexes(({ segment }) => segment === NOWHERE)[0] : undefined;
  }

  /** The events that were not dropped. */
  get kept(): Indexes[] {
    return this.#indexes(({ segment }) => segment !== DROPPED);
  }

  /** An append of these events has started. */
  hand({ from, to }: Indexes): void {
    this.#change(from, to, (run) => ({ ...run, segment: HANDED }));
  }

  /** That append failed. */
  handBack({ from, to }: Indexes): void {
    this.#change(from, to, (run) => (run.segment === HANDED ? { ...run, segment: NOWHERE } : run));
  }

  /** The append wrote the events from index `at` on. Returns the ranges of those that were dropped meanwhile. */
  place(at: number, { segment, from, to }: Range): Range[] {
    const dropped: Range[] = [];
    this.#change(at, at + to - from, (run, index) => {
      const placed = { ...run, segment, from: from + index - at };
      if (run.segment === HANDED) return placed;
      dropped.push({ segment, from: placed.from, to: placed.from + run.count });
      return run;
    });
    return dropped;
  }

  /** Number of the first events that the journal has, up to one that it does not have. */
  get writtenFirst(): number {
    let count = 0;
    for (const run of this.#runs) {
      if (run.segment <= NOWHERE && run.segment !== DROPPED) break;
      count += run.count;
    }
    return count;
  }

  /** Where the journal has the events. */
  get ranges(): Range[] {
    const ranges: Range[] = [];
    for (const { count, segment, from } of this.#runs) {
      const last = ranges.at(-1);
      const isNext = last?.segment === segment && last.to === from;
      if (isNext) ranges[ranges.length - 1] = { ...last, to: from + count };
      else if (segment > NOWHERE) ranges.push({ segment, from, to: from + count });
    }
    return ranges;
  }

  /** How many events belong to which epoch. */
  get epochs(): EpochCount[] {
    return this.#runs.filter(({ segment }) => segment !== DROPPED);
  }

  /** The events of a range. */
  in({ segment, from, to }: Range): Indexes[] {
    const found: Indexes[] = [];
    let start = 0;
    for (const run of this.#runs) {
      const [first, last] = [clamp(from - run.from, run.count), clamp(to - run.from, run.count)];
      if (run.segment === segment && first < last) found.push({ from: start + first, to: start + last });
      start += run.count;
    }
    return found;
  }

  /** The journal has lost these events. */
  lose({ from, to }: Indexes): void {
    this.#change(from, to, (run) => ({ ...run, segment: NOWHERE }));
  }

  /** The journal has the events of a range in another one now. Returns the parts of it that were found. */
  move(range: Range, { segment, from }: Range): Range[] {
    const found: Range[] = [];
    for (const indexes of this.in(range)) {
      this.#change(indexes.from, indexes.to, (run) => {
        const moved = { ...run, segment, from: run.from - range.from + from };
        found.push({ segment, from: moved.from, to: moved.from + moved.count });
        return moved;
      });
    }
    return found;
  }

  /** The journal gave these events up, and is not to be given them again. */
  forsake({ from, to }: Indexes): void {
    this.#change(from, to, (run) => ({ ...run, segment: FORSAKEN }));
  }

  /** These events end. Returns those that had not. */
  drop({ from, to }: Indexes): EpochCount[] {
    const ended: EpochCount[] = [];
    this.#change(from, to, (run) => {
      if (run.segment !== DROPPED) ended.push(run);
      return { ...run, segment: DROPPED };
    });
    return ended;
  }

  /** Removes the events that were dropped, of a parcel that is not in memory. */
  compact(): void {
    if (this.#dropped === 0) return;
    const runs = this.#clear();
    for (const run of runs) if (run.segment !== DROPPED) this.#add(run);
  }

  #indexes(isWanted: (run: Run) => boolean): Indexes[] {
    const found: Indexes[] = [];
    let start = 0;
    for (const run of this.#runs) {
      const end = start + run.count;
      const last = found.at(-1);
      if (isWanted(run)) {
        if (last?.to === start) found[found.length - 1] = { from: last.from, to: end };
        else found.push({ from: start, to: end });
      }
      start = end;
    }
    return found;
  }

  #change(from: number, to: number, change: (run: Run, index: number) => Run): void {
    const runs = this.#clear();
    for (const run of runs) {
      const start = this.#length;
      const [first, last] = [clamp(from - start, run.count), clamp(to - start, run.count)];
      this.#add(partOf(run, 0, first));
      if (last > first) this.#add(change(partOf(run, first, last), start + first));
      this.#add(partOf(run, Math.max(first, last), run.count));
    }
  }

  #clear(): Run[] {
    const runs = this.#runs;
    this.#runs = [];
    this.#length = 0;
    this.#unwritten = 0;
    this.#handed = 0;
    this.#dropped = 0;
    this.#forsaken = 0;
    return runs;
  }

  #add(run: Run): void {
    const { count, epoch, segment, from } = run;
    if (count <= 0) return;
    const last = this.#runs.at(-1);
    const isNext =
      last?.segment === segment &&
      last.epoch === epoch &&
      (segment <= NOWHERE || last.from + last.count === from);
    if (isNext) this.#runs[this.#runs.length - 1] = { ...last, count: last.count + count };
    else this.#runs.push(run);
    this.#length += count;
    if (segment === NOWHERE) this.#unwritten += count;
    else if (segment === HANDED) this.#handed += count;
    else if (segment === DROPPED) this.#dropped += count;
    else if (segment === FORSAKEN) this.#forsaken += count;
  }
}

function partOf(run: Run, from: number, to: number): Run {
  return { ...run, count: to - from, from: run.from + from };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}
