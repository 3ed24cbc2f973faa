import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { BreakerState } from '../tell/stats.ts';
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import type { Breaker, Why } from './breaker.ts';

/** The right to make one request. */
export interface Pass {
  /** When the request was made, and in which state of the breaker. */
  readonly at: number;
  readonly state: BreakerState;
  /** How often `resume()` was called before. */
  readonly era: number;
}

/** Decides when a request may be made, by the breaker, the rate limit, and the number of pending requests. */
export class Gate {
  readonly #clock: Clock;
  readonly #breaker: Breaker;
  readonly #concurrency: AdaptiveConcurrency;
  readonly #rateWaitMs: (now: number) => number;
  /** Rings when the rate limit allows a request, or when a pending one is so slow that it no longer counts. */
  readonly #alarm: Alarm;
  /** The oldest first. */
  readonly #pending = new Set<Pass>();
  #era = 0;

  /**
   * @param rateWaitMs How long the rate limit lets the next request wait, in milliseconds.
   * @param onChange Called when a request may be made again, except after a change of the breaker.
   */
  constructor(
    clock: Clock,
    breaker: Breaker,
    concurrency: AdaptiveConcurrency,
    rateWaitMs: (now: number) => number,
    onChange: () => void,
  ) {
    this.#clock = clock;
    this.#breaker = breaker;
    this.#concurrency = concurrency;
    this.#rateWaitMs = rateWaitMs;
    this.#alarm = new Alarm(clock, onChange);
  }

  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether a request may be made now. If not, `onChange` is called when that may have changed. */
  get mayStart(): boolean {
    const { state } = this.#breaker;
    const isProbe = (pass: Pass) => pass.state === 'half-open' && this.isCurrent(pass);
    if (state !== 'closed') return state === 'half-open' && ![...this.#pending].some(isProbe);
    const now = this.#clock.now();
    const waitMs = Math.max(this.#rateWaitMs(now), this.#concurrency.waitMs(this.#pending, now));
    if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) {
      // What it was set for may have ended.
      this.#alarm.cancel();
      this.#alarm.set(waitMs);
    }
    return waitMs === 0;
  }

  start(): Pass {
    const pass: Pass = { at: this.#clock.now(), state: this.#breaker.state, era: this.#era };
    this.#pending.add(pass);
    return pass;
  }

  end(pass: Pass): void {
    this.#pending.delete(pass);
  }

  /** Whether `resume()` was not called since the request was made. */
  isCurrent({ era }: Pass): boolean {
    return era === this.#era;
  }

  /** The request was accepted. Returns whether a pause is over. */
  accepted({ state }: Pass): boolean {
    // What was sent before the pause says nothing about the service now.
    return !(this.#breaker.pause && state === 'closed') && this.#breaker.accepted();
  }

  /** The request failed. That counts if it was the probe. */
  failed({ state }: Pass, why: Why): void {
    if (state !== 'closed') this.#breaker.failed(why);
  }

  resume(): void {
    this.#era += 1;
    this.#breaker.resume();
  }

  /** Ends a pause that is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void {
    const { pause, state } = this.#breaker;
    if (state === 'open' && this.#clock.now() >= (pause?.until ?? 0)) this.#breaker.tryNow();
  }

  stop(): void {
    this.#alarm.stop();
  }
}
