import type { Rates } from '../admin/contract.ts';

const WINDOW_S = 300;
// A sender may use any names. Neither many names nor long ones may fill the memory.
const MOST_NAMES = 100;
const LONGEST_NAME = 200;
const OTHERS = '';

/** Counts the new events of each second in the last five minutes, by name. The counts are in memory, and their size is limited. */
export class ArrivalRates {
  readonly #now: () => number;
  /** The counts of the seconds in which events came. */
  readonly #counts = new Map<number, Map<string, number>>();
  /** The first second with counts: nothing is known of earlier ones. */
  #first: number;
  #latest: number;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#first = this.#latest = this.#currentSecond();
  }

  /** Counts `count` events of a name. */
  add(name: string, count = 1): void {
    const second = this.#currentSecond();
    if (second !== this.#latest) this.#turn(second);
    const counts = this.#counts.get(second) ?? new Map<string, number>();
    if (counts.size === 0) this.#counts.set(second, counts);
    const fits = name.length <= LONGEST_NAME && counts.size < MOST_NAMES;
    const key = fits || counts.has(name) ? name : OTHERS;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }

  /** Returns the finished seconds after `second`, oldest first: at most the last five minutes, and none before counting began. */
  since(second: number): Rates[] {
    const current = this.#currentSecond();
    if (current !== this.#latest) this.#turn(current);
    const from = Math.max(second + 1, current - WINDOW_S, this.#first);
    return Array.from({ length: Math.max(0, current - from) }, (_, at) => ({
      second: from + at,
      counts: Object.fromEntries(this.#counts.get(from + at) ?? []),
    }));
  }

  #turn(second: number): void {
    if (second < this.#latest) {
      this.#counts.clear(); // the system's clock was set back
      this.#first = second;
    }
    this.#latest = second;
    for (const each of this.#counts.keys()) if (each < second - WINDOW_S) this.#counts.delete(each);
  }

  #currentSecond(): number {
    return Math.floor(this.#now() / 1_000);
  }
}
