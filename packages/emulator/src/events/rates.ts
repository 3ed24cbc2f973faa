import type { Rates } from '../admin/contract.ts';

const WINDOW_S = 300;
// A sender may use any names. Neither many names nor long ones may fill the memory.
const MOST_NAMES_COUNTED = 1_000;
const MOST_NAMES_KEPT = 20;
const LONGEST_NAME = 200;
const OTHERS = '';

/**
 * Counts the new events of each second in the last five minutes, by name. The counts are in memory, and their size is limited.
 */
export class ArrivalRates {
  readonly #now: () => number;
  readonly #past = new Map<number, Rates['counts']>();
  #running = new Map<string, number>();
  #second: number;
  /** The first second with counts: nothing is known of earlier ones. */
  #first: number;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#second = this.#currentSecond();
    this.#first = this.#second;
  }

  /** Counts an event. */
  add(name: string): void {
    this.#turn();
    const isCounted = this.#running.has(name);
    const fits = name.length <= LONGEST_NAME && this.#running.size < MOST_NAMES_COUNTED;
    const key = isCounted || fits ? name : OTHERS;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  /** Returns the finished seconds after `second`, oldest first: at most the last five minutes, and none before counting began. */
  since(second: number): Rates[] {
    this.#turn();
    const rates: Rates[] = [];
    const from = Math.max(second + 1, this.#second - WINDOW_S, this.#first);
    for (let each = from; each < this.#second; each += 1) {
      rates.push({ second: each, counts: this.#past.get(each) ?? {} });
    }
    return rates;
  }

  #turn(): void {
    const second = this.#currentSecond();
    if (second === this.#second) return;
    if (second < this.#second) {
      this.#past.clear(); // the system's clock was set back
      this.#first = second;
    }
    if (this.#running.size > 0) this.#past.set(this.#second, mostFrequent(this.#running));
    this.#running = new Map();
    this.#second = second;
    for (const each of this.#past.keys()) if (each < second - WINDOW_S) this.#past.delete(each);
  }

  #currentSecond(): number {
    return Math.floor(this.#now() / 1_000);
  }
}

function mostFrequent(counts: ReadonlyMap<string, number>): Rates['counts'] {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const kept = new Map(sorted.slice(0, MOST_NAMES_KEPT));
  let others = kept.get(OTHERS) ?? 0;
  for (const [, count] of sorted.slice(MOST_NAMES_KEPT)) others += count;
  if (others > 0) kept.set(OTHERS, others);
  return Object.fromEntries(kept);
}
