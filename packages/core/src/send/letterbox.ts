import type { Clock, Timer } from '../base/clock.ts';

/** How soon dead letters that could not be kept are tried again. */
const RETRY_MS = 60_000;
/** Above this, what refuses an event waits with it. */
const MOST_HELD = 1_000;

/** Dead letters that could not be kept, because storage fails: they are tried again from time to time, while others go on. */
export class Letterbox {
  readonly #clock: Clock;
  /** How to keep each: false where that failed again. */
  readonly #held = new Set<() => Promise<boolean>>();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds one. False where there are too many already. */
  hold(keep: () => Promise<boolean>): boolean {
    if (this.#held.size >= MOST_HELD) return false;
    this.#held.add(keep);
    this.#wait();
    return true;
  }

  /** Cancels the timer. What is held stays where it is. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    if (this.#isStopped || this.#held.size === 0) return;
    this.#timer ??= this.#clock.setTimeout(() => void this.#retry(), RETRY_MS);
  }

  async #retry(): Promise<void> {
    for (const keep of this.#held) {
      if (this.#isStopped || !(await keep())) break;
      this.#held.delete(keep);
    }
    this.#timer = undefined;
    this.#wait();
  }
}
