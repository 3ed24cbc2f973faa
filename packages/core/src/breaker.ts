import type { Clock, Timer } from './clock.ts';

/** `closed`: requests flow. `open`: none is made. `half-open`: one is made, to see whether more may follow. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Keeps requests from a service that does not want or cannot answer them. */
export class Breaker {
  readonly #clock: Clock;
  readonly #onChange: (state: BreakerState) => void;
  #state: BreakerState = 'closed';
  #probing = false;
  #timer: Timer | undefined;
  #openUntil = 0;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock, onChange: (state: BreakerState) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Resolves when a request may be made, or the signal aborts. While half-open only one gets through. */
  async admit(signal: AbortSignal): Promise<void> {
    while (this.#state !== 'closed' && !signal.aborted) {
      if (this.#state === 'half-open' && !this.#probing) {
        this.#probing = true;
        return;
      }
      await this.#change(signal);
    }
  }

  /** The service works: requests flow. */
  close(): void {
    this.#timer?.cancel();
    this.#probing = false;
    this.#openUntil = 0;
    this.#enter('closed');
  }

  /** No request for `delayMs` milliseconds, or as long as was asked before, then one. */
  open(delayMs: number): void {
    this.#timer?.cancel();
    this.#probing = false;
    const now = this.#clock.now();
    this.#openUntil = Math.max(this.#openUntil, now + delayMs);
    this.#timer = this.#clock.setTimeout(() => this.#enter('half-open'), this.#openUntil - now);
    this.#enter('open');
  }

  /** Cancels the timer: whatever waits does so until its signal aborts. */
  stop(): void {
    this.#timer?.cancel();
  }

  #enter(state: BreakerState): void {
    const changed = state !== this.#state;
    this.#state = state;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
    if (changed) this.#onChange(state);
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      this.#waiting.push(wake);
    });
  }
}
