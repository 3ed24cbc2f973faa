import type { Clock, Timer } from './clock.ts';

/** `closed`: requests flow. `open`: none is made. `half-open`: one is made, to see whether more may follow. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Keeps requests from a service that does not want or cannot answer them. */
export class Breaker {
  readonly #clock: Clock;
  readonly #onChange: (state: BreakerState) => void;
  #state: BreakerState = 'closed';
  #era = 0;
  #probing = false;
  #timer: Timer | undefined;
  #openUntil = 0;
  #openForMs = 0;
  #stopped = false;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock, onChange: (state: BreakerState) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Grows each time that it opens: what a request of an earlier era is answered is old news. */
  get era(): number {
    return this.#era;
  }

  /** Resolves when a request may be made, or to false when the signal aborts. While half-open only one gets through. */
  async admit(signal: AbortSignal): Promise<boolean> {
    while (this.#state !== 'closed' && !signal.aborted) {
      if (this.#state === 'half-open' && !this.#probing) {
        this.#probing = true;
        return true;
      }
      await this.#change(signal);
    }
    return !signal.aborted;
  }

  /** The service works: requests flow. */
  close(): void {
    this.#timer?.cancel();
    this.#enter('closed');
  }

  /** No request for `delayMs` milliseconds, or for what is left of the time that it is open already; then one. */
  open(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#stopped) return;
    const now = this.#clock.now();
    // Never longer than was asked, also where the time of day was set back.
    const left = this.#state === 'open' ? Math.min(this.#openUntil - now, this.#openForMs) : 0;
    this.#openForMs = Math.max(delayMs, left);
    this.#openUntil = now + this.#openForMs;
    this.#timer = this.#clock.setTimeout(() => this.#enter('half-open'), this.#openForMs);
    if (this.#state !== 'open') this.#era += 1;
    this.#enter('open');
  }

  /** Cancels the timer, for good: whatever waits does so until its signal aborts. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #enter(state: BreakerState): void {
    const changed = state !== this.#state;
    this.#state = state;
    this.#probing = false;
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
