import { Alarm } from '../base/alarm.ts';
import type { Clock } from '../base/clock.ts';
import type { BreakerState } from '../tell/stats.ts';

export interface BreakerOptions {
  readonly clock: Clock;
  /** Whether probes must wait, for example because the page is hidden. When this turns false, call `catchUp()`. */
  readonly rests?: (() => boolean) | undefined;
  /** Called each time a state is entered, also if the state stays the same. */
  readonly onEntered: (state: BreakerState, isChange: boolean) => void;
}

/** Circuit breaker. `closed`: requests may be made. `open`: no request for a time. `half-open`: one request, the probe. */
export class Breaker {
  readonly #options: BreakerOptions;
  /** Runs while the breaker is open. Then the breaker becomes half-open. */
  readonly #alarm: Alarm;
  state: BreakerState = 'closed';
  /** Grows when the breaker opens, and with each `tryNow()`. */
  era = 0;
  /** Whether a request was made since the current state began. Half-open allows only one. */
  isProbing = false;
  #isStopped = false;
  #openUntil = 0;
  #openForMs = 0;

  constructor(options: BreakerOptions) {
    const { clock, rests } = options;
    this.#options = options;
    this.#alarm = new Alarm(clock, () => {
      if (!rests?.()) this.enter('half-open');
    });
  }

  /** When the open state ends, in milliseconds since 1970; undefined if the breaker is not open. */
  get openUntil(): number | undefined {
    if (this.state !== 'open') return undefined;
    // If the clock was set back, the remaining time is still at most the time that was asked for.
    return Math.min(this.#openUntil, this.#options.clock.now() + this.#openForMs);
  }

  /** Opens for `delayMs` milliseconds, or for the remaining time if that is longer. Then becomes half-open. */
  open(delayMs: number): void {
    this.#alarm.cancel();
    if (this.#isStopped) return;
    const now = this.#options.clock.now();
    this.#openForMs = Math.max(delayMs, (this.openUntil ?? now) - now);
    this.#openUntil = now + this.#openForMs;
    this.#alarm.set(this.#openForMs);
    if (this.state !== 'open') this.era += 1;
    this.enter('open');
  }

  /** Starts a new era, so that answers to earlier requests no longer count. If not closed, becomes half-open now. */
  tryNow(): void {
    if (this.#isStopped) return;
    this.era += 1;
    if (this.state === 'closed') return;
    this.#alarm.cancel();
    this.enter('half-open');
  }

  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void {
    if (this.state === 'open' && this.#options.clock.now() >= this.#openUntil) this.tryNow();
  }

  enter(state: BreakerState): void {
    const isChange = state !== this.state;
    this.state = state;
    this.isProbing = false;
    this.#options.onEntered(state, isChange);
  }

  /** Cancels the timer for good: the breaker does not open or try again. */
  stop(): void {
    this.#isStopped = true;
    this.#alarm.cancel();
  }
}
