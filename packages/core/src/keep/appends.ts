import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';

/** Number of appends started so far, in all lanes. */
let begun = 0;

/** A group of events that was passed to the journal. */
export interface Append {
  readonly group: EventBytes;
  /** Its position in the start order of the appends of all lanes. */
  readonly order: number;
}

interface Turn extends Append {
  readonly generation: number;
  /** How many of its events are still in the ring buffer: `take` may remove some while the append runs. */
  left: number;
  /** The events that `take` removed, the oldest first. `tell` receives their range once the journal has stored them. */
  readonly placed: { readonly count: number; readonly tell: (range: Range) => void }[];
  /** Handles the result. Set when the append ends; called once all earlier appends have ended. */
  outcome?: () => void;
}

/** What the caller does when an append ends. */
export interface AppendEnd {
  readonly succeeded: (range: Range) => void;
  readonly failed: (error: unknown) => void;
  /** The append succeeded after `disown()`. Its events are written again elsewhere, so nobody needs this copy. */
  readonly disowned: (range: Range) => void;
  /** Called last, after one of the others. If a disowned append fails, only this one is called. */
  readonly over: () => void;
}

/**
 * The appends of one lane that are in progress. They hold the lane's oldest unwritten events. So their results are handled in
 * the order in which the appends started, in whatever order the results arrive.
 */
export class Appends {
  readonly #turns: Turn[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #handed = 0;
  /** Increased by `disown()`, for example when an append fails. Results of earlier generations do not count. */
  #generation = 0;

  get size(): number {
    return this.#underWay.size;
  }

  /** How many events of the oldest append are still in the ring buffer; undefined if there is no such append. */
  get oldest(): number | undefined {
    return this.#oldest?.left;
  }

  /** The `count` oldest events leave the ring buffer. `tell` receives their range once the journal has stored them. */
  take(count: number, tell: (range: Range) => void): void {
    const turn = this.#oldest;
    if (turn === undefined) return;
    turn.placed.push({ count, tell });
    turn.left -= count;
    this.#handed -= count;
  }

  /** Events of these appends that are still in the ring buffer. Disowned appends do not count. */
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
      // Handle the result with no further await: the process may be ending, and the last write must know what is written.
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

  /** The appends in progress no longer count. Returns them in the order in which they started. */
  disown(): readonly Append[] {
    const ours = this.#turns.filter(({ generation }) => generation === this.#generation);
    this.#generation += 1;
    this.#handed = 0;
    return ours;
  }

  get #oldest(): Turn | undefined {
    return this.#turns.find(({ generation, left }) => generation === this.#generation && left > 0);
  }

  /** Resolves once one append has ended; at once if none is in progress. */
  async next(): Promise<void> {
    if (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  /** Resolves once all appends that are in progress now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #inTurn(turn: Turn, outcome: () => void): void {
    turn.outcome = outcome;
    while (this.#turns[0]?.outcome !== undefined) this.#turns.shift()?.outcome?.();
  }
}

/** Returns the range if it fits the events. Otherwise throws a StorageError: a custom journal may be wrong. */
export function checkedRange(range: Range | undefined, { ends }: EventBytes): Range {
  if (range !== undefined && range?.to - range?.from === ends.length) return range;
  throw new StorageError(`the journal gave no range for ${ends.length} events`);
}

/** Calls a custom journal safely: if it throws, the returned promise rejects. */
function called(call: () => Promise<Range>): Promise<Range> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}
