import type { Random } from '../random.ts';

/** An action that is planned for a moment. */
export interface Appointment {
  cancel(): void;
}

interface Entry extends Appointment {
  readonly at: number;
  /** Decides the order of two entries at the same moment. */
  readonly tie: number;
  run: (() => void) | undefined;
}

const START_MS = Date.UTC(2026, 0, 1);

/** All planned actions of a schedule, on one virtual clock: answers of disks and services, timers, actions of applications. */
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

  /** Advances to the next action and runs it. False if there is none. */
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
