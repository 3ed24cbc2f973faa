import { allOf, type Range, rangeLength, type Span, without } from '../base/range.ts';

/** Where the journal has events, in their order: ranges, or a mark in place of a segment, which is positive. */
export class Places {
  /** The journal does not have the events. */
  static readonly NOWHERE = 0;
  /** An append of the events is in progress. */
  static readonly HANDED = -1;
  /** The journal gave the events up, because it was full. It is not given them again. */
  static readonly FORSAKEN = -2;
  /** Number of events. */
  count = 0;
  /** Number of changes, without additions at the end. */
  changes = 0;
  #runs: Range[] = [];

  constructor(...runs: readonly Range[]) {
    for (const run of runs) this.add(run);
  }

  get size(): number {
    return this.#runs.length;
  }

  /** Where the journal has events. */
  get ranges(): Range[] {
    return this.#runs.filter(({ segment }) => segment > Places.NOWHERE);
  }

  /** Number of events that the journal does not have. */
  get volatile(): number {
    let count = 0;
    for (const run of this.#runs) if (run.segment <= Places.NOWHERE) count += rangeLength(run);
    return count;
  }

  has(mark: number): boolean {
    for (const { segment } of this.#runs) if (segment === mark) return true;
    return false;
  }

  /** Adds events of a range, or with a mark. Neighbours are joined, so that many events need few ranges. */
  add(run: Range | undefined): void {
    if (!run || run.from >= run.to) return;
    this.count += rangeLength(run);
    const last = this.#runs.at(-1);
    const isNext = last?.segment === run.segment && (run.segment <= Places.NOWHERE || last.to === run.from);
    if (isNext) this.#runs[this.#runs.length - 1] = { ...last, to: last.to + rangeLength(run) };
    else this.#runs.push(run);
  }

  push(count: number): void {
    this.add({ segment: Places.NOWHERE, from: 0, to: count });
  }

  append(others: Places): void {
    for (const run of others.#runs) this.add(run);
  }

  slice({ from, to }: Span): Places {
    const slice = new Places();
    let start = 0;
    for (const run of this.#runs) {
      slice.add(partOf(run, from - start, to - start));
      start += rangeLength(run);
    }
    return slice;
  }

  /** The indexes of the events of a range. */
  find({ segment, from, to }: Range): Span[] {
    const found: Span[] = [];
    let start = 0;
    for (const run of this.#runs) {
      if (run.segment === segment) {
        const part = partOf(run, from - run.from, to - run.from);
        const first = start + part.from - run.from;
        if (part.from < part.to) found.push({ from: first, to: first + rangeLength(part) });
      }
      start += rangeLength(run);
    }
    return found;
  }

  marked(mark: number): Span[] {
    return this.find(allOf(mark));
  }

  mark(span: Span, mark: number): void {
    this.#change(span, (run) => ({ ...run, segment: mark }));
  }

  /** Sets a mark for the events of a range, or for those with another mark. */
  markAll(range: Range, mark: number): void {
    for (const span of this.find(range)) this.mark(span, mark);
  }

  remove(span: Span): void {
    this.#change(span, () => undefined);
  }

  /** Takes out the events of a range, in one pass. Returns how many there were. */
  cut(gone: Range): number {
    const before = this.count;
    this.#replace((run) => (run.segment === gone.segment ? without(run, gone) : [run]));
    return before - this.count;
  }

  /** The append is over: the journal has the events in this range, or nowhere. */
  appended(range?: Range): void {
    const { segment, from = 0 } = range ?? { segment: Places.NOWHERE };
    let next = from;
    this.#replace((run) => {
      if (run.segment !== Places.HANDED) return [run];
      const first = next;
      next += rangeLength(run);
      return [{ segment, from: first, to: next }];
    });
  }

  /** The events of a range are in another range of the same length now. Returns the parts of it that are used. */
  move(range: Range, target: Range): Range[] {
    const offset = target.from - range.from;
    const used: Range[] = [];
    for (const span of this.find(range))
      this.#change(span, ({ from, to }) => {
        const moved = { segment: target.segment, from: from + offset, to: to + offset };
        used.push(moved);
        return moved;
      });
    return used;
  }

  /** The callback returns the new place of events, or undefined: they are taken out. */
  #change({ from, to }: Span, callback: (run: Range) => Range | undefined): void {
    this.#replace((run, start) => {
      const changed = partOf(run, from - start, to - start);
      return [
        partOf(run, 0, from - start),
        changed.from < changed.to ? callback(changed) : undefined,
        partOf(run, Math.max(from, to) - start, rangeLength(run)),
      ];
    });
  }

  /** The callback gets each run, and the index of its first event. It returns what takes its place. */
  #replace(callback: (run: Range, start: number) => readonly (Range | undefined)[]): void {
    const runs = this.#runs;
    this.#runs = [];
    this.count = 0;
    this.changes += 1;
    let start = 0;
    for (const run of runs) {
      for (const part of callback(run, start)) this.add(part);
      start += rangeLength(run);
    }
  }
}

/** The part of a run from one of its indexes to another, as far as it goes. */
function partOf(run: Range, from: number, to: number): Range {
  const first = Math.max(run.from, Math.min(run.to, run.from + from));
  return { segment: run.segment, from: first, to: Math.max(first, Math.min(run.to, run.from + to)) };
}
