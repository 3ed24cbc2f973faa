import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';

/** Appends ever begun, by all lanes. */
let begun = 0;

/** Events that the journal was given. */
export interface Append {
  readonly group: EventBytes;
  /** Its place among the appends of all lanes. */
  readonly order: number;
}

interface Turn extends Append {
  readonly generation: number;
  /** How many of its events were not taken out of the ring meanwhile. */
  left: number;
  /** Is told where those are that were, the oldest first. */
  readonly placed: { readonly count: number; readonly tell: (range: Range) => void }[];
  /** What came of it, as far as that waits for an earlier one. */
  outcome?: () => void;
}

/** What is done where an append ends. */
export interface AppendEnd {
  readonly succeeded: (range: Range) => void;
  readonly failed: (error: unknown) => void;
  /** The journal took events that are not its concern any more. */
  readonly disowned: (range: Range) => void;
  /** After one of these, or none: a failure of what is disowned is nobody's. */
  readonly over: () => void;
}

/**
 * The appends of a lane that are under way. Their ranges are of its oldest unwritten events: outcomes count in the order in
 * which the appends began, however they come.
 */
export class Appends {
  readonly #turns: Turn[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #handed = 0;
  /** Where one append failed, the journal's word on those that were under way with it is not taken. */
  #generation = 0;

  get size(): number {
    return this.#underWay.size;
  }

  /** How many of the oldest unwritten events are in one append; undefined where none are in any. */
  get oldest(): number | undefined {
    return this.#oldest?.left;
  }

  /** So many of the oldest ones are taken out of the ring. `tell` is told where the journal has them, once it has. */
  take(count: number, tell: (range: Range) => void): void {
    const turn = this.#oldest;
    if (turn === undefined) return;
    turn.placed.push({ count, tell });
    turn.left -= count;
    this.#handed -= count;
  }

  /** Events in them that wait in the ring, without those that are disowned. */
  get handed(): number {
    return this.#handed;
  }

  begin(
    group: EventBytes,
    call: () => Promise<Range>,
    { succeeded, failed, disowned, over }: AppendEnd,
  ): void {
    begun += 1;
    const { length } = group.ends;
    const turn: Turn = { group, order: begun, generation: this.#generation, left: length, placed: [] };
    this.#turns.push(turn);
    this.#handed += length;
    const isOurs = () => turn.generation === this.#generation;
    const take = (range: Range) => {
      const all = checkedRange(range, group);
      if (!isOurs()) return disowned(all);
      let { from } = all;
      for (const { count, tell } of turn.placed) {
        tell({ ...all, from, to: from + count });
        from += count;
      }
      succeeded({ ...all, from });
      this.#handed -= turn.left;
    };
    const fail = (error: unknown) => {
      if (isOurs()) failed(error);
    };
    const ended = new Promise<void>((resolve) => {
      const end = (outcome: () => void) =>
        this.#inTurn(turn, () => {
          try {
            outcome();
          } catch (error) {
            fail(error);
          }
          resolve();
        });
      // Counted as soon as the journal says so, with nothing between: this may be the last moment of the process.
      called(call).then(
        (range) => end(() => take(range)),
        (error) => end(() => fail(error)),
      );
    });
    const append = ended.then(() => {
      this.#underWay.delete(append);
      over();
    });
    this.#underWay.add(append);
  }

  /** What is under way does not count from now on. Returns it, the one that began first at first. */
  disown(): readonly Append[] {
    const ours = this.#turns.filter(({ generation }) => generation === this.#generation);
    this.#generation += 1;
    this.#handed = 0;
    return ours;
  }

  get #oldest(): Turn | undefined {
    return this.#turns.find(({ generation, left }) => generation === this.#generation && left > 0);
  }

  /** Resolves once one of them has ended; at once where there is none. */
  async next(): Promise<void> {
    if (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  /** Resolves once those that are under way now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #inTurn(turn: Turn, outcome: () => void): void {
    turn.outcome = outcome;
    while (this.#turns[0]?.outcome !== undefined) this.#turns.shift()?.outcome?.();
  }
}

/** A journal of the user's own may break its word. */
export function checkedRange(range: Range | undefined, { ends }: EventBytes): Range {
  if (range !== undefined && range?.to - range?.from === ends.length) return range;
  throw new StorageError(`the journal gave no range for ${ends.length} events`);
}

/** As above. */
function called(call: () => Promise<Range>): Promise<Range> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}
