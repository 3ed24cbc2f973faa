import type { Timeouts } from './transport.ts';

type Timer = ReturnType<typeof setTimeout>;

/** Stops a request when its signal aborts, or at the bound of a stage or of all of it. On real timers, whatever the clock. */
export class TimeLimits {
  readonly #timeouts: Timeouts;
  readonly #signal: AbortSignal;
  readonly #stop: (reason: unknown) => void;
  readonly #onAbort = () => this.#stop(this.#signal.reason);
  readonly #total: Timer;
  #stage: Timer | undefined;

  /** @param stop Called with the reason; more than once, maybe. */
  constructor(timeouts: Timeouts, signal: AbortSignal, stop: (reason: unknown) => void) {
    this.#timeouts = timeouts;
    this.#signal = signal;
    this.#stop = stop;
    this.#total = this.#after('totalMs');
    signal.addEventListener('abort', this.#onAbort);
  }

  /** A stage begins, and the one before is over. */
  enter(stage: Exclude<keyof Timeouts, 'totalMs'>): void {
    clearTimeout(this.#stage);
    this.#stage = this.#after(stage);
    if (this.#signal.aborted) this.#onAbort();
  }

  /** The request has ended. */
  clear(): void {
    clearTimeout(this.#stage);
    clearTimeout(this.#total);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #after(name: keyof Timeouts): Timer {
    const ms = this.#timeouts[name];
    return setTimeout(() => this.#stop(new Error(`timed out: ${name} is ${ms}`)), ms);
  }
}
