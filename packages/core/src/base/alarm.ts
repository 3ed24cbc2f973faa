import type { Clock, Timer } from '@sluice/protocol/toolbox';

/** A timer that calls back once each time it is set. */
export class Alarm {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #timer: Timer | undefined;
  #delayMs = 0;
  #until = 0;
  /** Set by `stop()`. */
  isStopped = false;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** When it calls back, in milliseconds since 1970; undefined if it is not set. */
  get until(): number | undefined {
    // If the clock was set back, the remaining time is still at most the time that was asked for.
    return this.#timer && Math.min(this.#until, this.#clock.now() + this.#delayMs);
  }

  /** Calls back after `delayMs` milliseconds. Does nothing if it is set already, or stopped. */
  set(delayMs: number): void {
    if (this.#timer || this.isStopped) return;
    this.#delayMs = delayMs;
    this.#until = this.#clock.now() + delayMs;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#callback();
    }, delayMs);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Cancels the call. From now on, `set()` does nothing. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
  }
}
