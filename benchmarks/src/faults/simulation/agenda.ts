import type { Random } from '../random.ts';

/** A moment that has been fixed, for something to happen. */
export interface Appointment {
  cancel(): void;
}

interface Entry extends Appointment {
  readonly at: number;
  /** Decides between two that fall on the same moment. */
  readonly tie: number;
  run: (() => void) | undefined;
}

const START_MS = Date.UTC(2026, 0, 1);

/** All that is to happen in a schedule, on one virtual time: what disks and services answer, timers, what applications do. */
export class Agenda {
  readonly #random: Random;
  /** A binary heap: the entry at `i` comes before those at `2i + 1` and `2i + 2`. */
  readonly #heap: Entry[] = [];
  #now = START_MS;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Milliseconds since 1970, with fractions. */
  get now(): number {
    return this.#now;
  }

  add(delayMs: number, run: () => void): Appointment {
    const entry: Entry = {
      at: this.#now + Math.max(0, delayMs),
      tie: this.#random(2 ** 32),
      run,
      cancel() {
        entry.run = undefined;
      },
    };
    this.#push(entry);
    return entry;
  }

  /** Moves on to what comes next and does it. False where nothing is left to come. */
  next(): boolean {
    for (let entry = this.#pop(); entry !== undefined; entry = this.#pop()) {
      if (entry.run === undefined) continue;
      this.#now = entry.at;
      entry.run();
      return true;
    }
    return false;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    for (let above = (index - 1) >> 1; index > 0; above = (index - 1) >> 1) {
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      let least = left;
      if (right !== undefined && isBefore(right, left)) {
        least = right;
        below += 1;
      }
      if (!isBefore(least, last)) break;
      heap[index] = least;
      index = below;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}
