import type { Clock, Timer } from '../base/clock.ts';

/** How soon dead letters that could not be stored are tried again. */
const RETRY_MS = 60_000;
/** Maximum number of dead letters held here. Beyond that, the delivery of a refused event waits with it. */
const MOST_HELD = 1_000;

/** Dead letters that could not be stored, because storage failed. They are tried again every minute, while others go on. */
export class Letterbox {
  readonly #clock: Clock;
  /** Each function stores one dead letter. It resolves to false if that fails again. */
  readonly #held = new Set<() => Promise<boolean>>();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a dead letter. Returns false if there are too many already. */
  hold(keep: () => Promise<boolean>): boolean {
    if (this.#held.size >= MOST_HELD) return false;
    this.#held.add(keep);
    this.#wait();
    return true;
  }

  /** Cancels the timer. The events of the letters stay where they are. */
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
