import { Alarm } from '../base/alarm.ts';
import type { Clock } from '../base/clock.ts';
import type { BreakerState } from '../tell/stats.ts';

export interface BreakerOptions {
  readonly clock: Clock;
  /** Whether no request is to be made to see whether more may follow: when that is over, `catchUp()` is to be called. */
  readonly rests?: (() => boolean) | undefined;
  /** Is told of each state that is entered, also where it is the same. */
  readonly onEntered: (state: BreakerState, isChange: boolean) => void;
}

/** Open, no request is made for a time; half-open, one; closed, as many as there are. */
export class Breaker {
  readonly #options: BreakerOptions;
  /** While it is open. */
  readonly #alarm: Alarm;
  state: BreakerState = 'closed';
  /** Grows each time that it opens or is told to try. */
  era = 0;
  /** Whether the one request is made. */
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

  /** Until when it is open, in milliseconds since 1970; undefined where it is not. */
  get openUntil(): number | undefined {
    if (this.state !== 'open') return undefined;
    // Never longer than was asked, also where the time of day was set back.
    return Math.min(this.#openUntil, this.#options.clock.now() + this.#openForMs);
  }

  /** Opens for `delayMs` milliseconds, or for what is left of the time that it is open already; then it is half-open. */
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

  /** What was sent before is old news; where it is open, its time ends. */
  tryNow(): void {
    if (this.#isStopped) return;
    this.era += 1;
    if (this.state === 'closed') return;
    this.#alarm.cancel();
    this.enter('half-open');
  }

  /** Timers stand still while a function is frozen or a machine sleeps; the time of day goes on. */
  catchUp(): void {
    if (this.state === 'open' && this.#options.clock.now() >= this.#openUntil) this.tryNow();
  }

  enter(state: BreakerState): void {
    const isChange = state !== this.state;
    this.state = state;
    this.isProbing = false;
    this.#options.onEntered(state, isChange);
  }

  /** Cancels the timer, for good. */
  stop(): void {
    this.#isStopped = true;
    this.#alarm.cancel();
  }
}
