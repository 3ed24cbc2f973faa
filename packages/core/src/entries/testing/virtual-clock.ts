import type { Clock, Timer } from '@sluice/protocol/toolbox';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
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
  /** In the order in which they run: the earliest first. Those of the same moment are in the order in which they were set. */
  readonly #timers: Entry[] = [];

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
    return this.#timers.length;
  }

  /** The time, in milliseconds since 1970. */
  now(): number {
    return this.#now;
  }

  /** Calls `callback` once `delayMs` milliseconds have passed. */
  setTimeout(callback: () => void, delayMs: number): Timer {
    const timers = this.#timers;
    const entry: Entry = { at: this.#now + Math.max(0, delayMs), callback };
    let index = timers.length;
    while (index > 0 && (timers[index - 1]?.at ?? 0) > entry.at) index -= 1;
    timers.splice(index, 0, entry);
    return {
      cancel() {
        const index = timers.indexOf(entry);
        if (index >= 0) timers.splice(index, 1);
      },
    };
  }

  /**
   * Lets time pass: runs due timers in order, and lets promises settle in between.
   * @param ms How long, in milliseconds.
   * @example await clock.advance(1_000);
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settled();
    for (let next = this.#timers[0]; next !== undefined && next.at <= end; next = this.#timers[0]) {
      this.#timers.shift();
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await this.#settled();
    }
    this.#now = end;
  }
}

/** Lets all work finish that waits for no timer and no I/O. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
