import type { Range } from './journal.ts';

/** Of more, the oldest are forgotten. */
const MOST_MOVES = 1_000;

interface Move {
  readonly from: Range;
  readonly to: Range;
}

/**
 * Where events went when storage was cleared under them: to memory, and from there to the journal again. Others know them by the
 * place where they were. No place is ever used again.
 */
export class Moves {
  readonly #moves: Move[] = [];

  add(from: Range, to: Range): void {
    this.#moves.push({ from, to });
    if (this.#moves.length > MOST_MOVES) this.#moves.shift();
  }

  /** A range, and all places to which a part of it went. */
  after(range: Range): Range[] {
    return this.#follow(range, 'from', 'to');
  }

  /** A range, and all places from which a part of it came. */
  before(range: Range): Range[] {
    return this.#follow(range, 'to', 'from');
  }

  #follow(range: Range, here: keyof Move, there: keyof Move): Range[] {
    const further = this.#moves.flatMap(({ [here]: place, [there]: other }) => {
      const from = Math.max(range.from, place.from);
      const to = Math.min(range.to, place.to);
      const offset = other.from - place.from;
      if (range.segment !== place.segment || from >= to) return [];
      return this.#follow({ segment: other.segment, from: from + offset, to: to + offset }, here, there);
    });
    return [range, ...further];
  }
}
