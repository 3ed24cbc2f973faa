import type { Clock, Timer } from './clock.ts';

/** A timer that calls back once each time it is set. */
export class Alarm {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Whether a call is pending. */
  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Calls back after `delayMs` milliseconds. Does nothing if it is set already. */
  set(delayMs: number): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#callback();
    }, delayMs);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
