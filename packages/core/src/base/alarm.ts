import type { Clock, Timer } from './clock.ts';

/** Calls back after a while, once each time that it is set. */
export class Alarm {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Whether it is yet to call back. */
  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Calls back in so many milliseconds. Where it is set already, that stays as it is. */
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
