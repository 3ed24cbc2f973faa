import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import type { Breaker, Pass } from './breaker.ts';

/** Decides when a request may be made, by the breaker, the rate limit, and how many requests are under way. */
export class Gate {
  readonly #clock: Clock;
  readonly #breaker: Breaker;
  readonly #concurrency: AdaptiveConcurrency;
  readonly #rateWaitMs: (now: number) => number;
  /** Rings when the rate limit allows a request, or when one under way takes so long that it no longer counts. */
  readonly #alarm: Alarm;
  /** The requests under way, the oldest first. */
  readonly #underWay = new Set<Pass>();

  /**
   * @param rateWaitMs How long the rate limit lets the next request wait, in milliseconds.
   * @param onChange Called when a request may be made again. A change of the breaker is not told here.
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
    return this.#underWay.size > 0;
  }

  /** Whether a request may be made now. If not, `onChange` is called when that may have changed. */
  get mayStart(): boolean {
    const { state } = this.#breaker;
    const isProbe = (pass: Pass) => pass.state === 'half-open' && this.#breaker.isCurrent(pass);
    if (state !== 'closed') return state === 'half-open' && ![...this.#underWay].some(isProbe);
    const now = this.#clock.now();
    const waitMs = Math.max(this.#rateWaitMs(now), this.#concurrency.waitMs(this.#underWay, now));
    if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) this.#alarm.set(waitMs);
    return waitMs === 0;
  }

  /** Counts a new request and returns its pass. */
  start(): Pass {
    const pass = this.#breaker.start();
    this.#underWay.add(pass);
    return pass;
  }

  end(pass: Pass): void {
    this.#underWay.delete(pass);
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
