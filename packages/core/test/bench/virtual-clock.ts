import type { Clock, Timer } from '@sluice/protocol/toolbox';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Entry>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  /** Timers that have neither run nor been cancelled. */
  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const entry = { at: this.#now + Math.max(0, delayMs), callback };
    this.#timers.add(entry);
    return { cancel: () => void this.#timers.delete(entry) };
  }

  /** Lets time pass: runs due timers in order, and lets promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
      await settle();
    }
    this.#now = end;
  }
}

/** Lets all work finish that waits for no timer and no I/O. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
