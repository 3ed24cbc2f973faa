import type { Clock, Timer } from '@sluice/protocol/toolbox';

interface Entry {
  readonly at: number;
  /** Timers of the same moment run in the order in which they were set. */
  readonly number: number;
  /** Undefined once the timer has run or was cancelled. */
  callback: (() => void) | undefined;
}

/**
 * A clock that stands still until a test moves it.
 *
 * @example
 * const clock = new VirtualClock();
 * await clock.advance(600_000); // ten minutes pass at once
 */
export class VirtualClock implements Clock {
  #now: number;
  readonly #settled: () => Promise<void>;
  /** A binary heap: the next timer is the first entry. Cancelled timers stay in it until their time. */
  readonly #heap: Entry[] = [];
  #set = 0;
  #timers = 0;

  /**
   * @param startMs Its first time, in milliseconds since 1970. Default: the start of 2026.
   * @param settled Lets all work finish that waits for no timer. Default: `settle`.
   */
  constructor(startMs: number = Date.UTC(2026, 0, 1), settled: () => Promise<void> = settle) {
    this.#now = startMs;
    this.#settled = settled;
  }

  /** Timers that have neither run nor been cancelled. */
  get timers(): number {
    return this.#timers;
  }

  /** The time, in milliseconds since 1970. */
  now(): number {
    return this.#now;
  }

  /** Calls `callback` once `delayMs` milliseconds have passed. */
  setTimeout(callback: () => void, delayMs: number): Timer {
    const entry: Entry = { at: this.#now + Math.max(0, delayMs), number: this.#set, callback };
    this.#set += 1;
    this.#timers += 1;
    this.#add(entry);
    return { cancel: () => void this.#take(entry) };
  }

  /**
   * Lets time pass: runs due timers in order, and lets promises settle in between.
   * @param ms How long, in milliseconds.
   * @example await clock.advance(1_000);
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settled();
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#removeFirst();
      const callback = this.#take(next);
      if (callback === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      callback();
      await this.#settled();
    }
    this.#now = end;
  }

  #take(entry: Entry): (() => void) | undefined {
    const { callback } = entry;
    if (callback !== undefined) this.#timers -= 1;
    entry.callback = undefined;
    return callback;
  }

  #add(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    for (let up = (index - 1) >> 1; index > 0; up = (index - 1) >> 1) {
      const parent = heap[up];
      if (parent === undefined || isBefore(parent, entry)) break;
      heap[index] = parent;
      index = up;
    }
    heap[index] = entry;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (let down = 1; down < heap.length; down = 2 * index + 1) {
      const [left, right] = [heap[down], heap[down + 1]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = isRight ? down + 1 : down;
    }
    heap[index] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at === other.at ? one.number < other.number : one.at < other.at;
}

/** Lets all work finish that waits for no timer and no I/O. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
