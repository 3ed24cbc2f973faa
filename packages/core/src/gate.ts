import { type Backoff, backoffDelayMs } from '@sluice/protocol';
import type { Breaker } from './breaker.ts';
import { type Clock, sleep, untilWoken } from './clock.ts';
import type { SharedPause } from './journal.ts';
import type { RateLimit } from './rate-limit.ts';
import { RetryBudget } from './retry-budget.ts';
import type { Pause, PauseReason } from './stats.ts';

/** While nothing is wrong with the events: how long until the service is asked again. */
const PAUSE: Backoff = { baseMs: 60_000, maxMs: 15 * 60_000 };
/** An address does not mend itself. */
const SLOW_PAUSE: Backoff = { baseMs: 5 * 60_000, maxMs: 60 * 60_000 };
/** A service that asks for more is asked again after this all the same. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Spread over clients that were all told the same. */
const JITTER = 0.2;
/** Spread over clients that ask again at the longest interval: it is never less. */
const PROBE_JITTER = 0.5;

/** A request that may be made. */
export interface Pass {
  readonly era: number;
  readonly at: number;
}

/** A request that did not succeed, and is to be made again. */
export interface Failure {
  /** How many failed before it with the same events. */
  readonly failures: number;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** Whether nothing but the rate of requests is wrong. */
  readonly isAlive?: boolean | undefined;
}

export interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly breaker: Breaker;
  readonly rateLimit: RateLimit;
  /** Requests at the same time. */
  readonly concurrency: number;
  readonly backoff: Backoff;
  /** Retries that a success allows. */
  readonly retriesPerSuccess: number;
  readonly onPaused: (pause: Pause) => void;
  readonly onResumed: () => void;
  /** Whether requests are under way, or may be made soon, may have changed. */
  readonly onChange: () => void;
}

/** Says when a request may be made, and learns from what becomes of it: breaker, pause, rate, budget of retries, slow start. */
export class Gate {
  readonly #options: GateOptions;
  readonly #budget: RetryBudget;
  /** Requests at the same time, for now: after an outage one, and one more with each success. */
  #window: number;
  #underWay = 0;
  #parked = 0;
  #pauses = 0;
  /** Whether the breaker opened because requests failed, not because the service asked for time. */
  #isBroken = false;
  #pause: Pause | undefined;
  /** Those who wait for a request to end. */
  readonly #waiting = new Set<() => void>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#window = options.concurrency;
    this.#budget = new RetryBudget(options.retriesPerSuccess, options.clock.now());
  }

  /** Why no request is made but a probe from time to time. */
  get pause(): Pause | undefined {
    // The probe may have failed otherwise since, or the service asked for more time.
    const { openUntil } = this.#options.breaker;
    return this.#pause && openUntil !== undefined ? { ...this.#pause, until: openUntil } : this.#pause;
  }

  /** Until when nothing can become of any event: no request is under way, and none will be made before. */
  get stalledUntil(): number {
    return this.#underWay === 0 ? (this.#options.breaker.openUntil ?? 0) : 0;
  }

  /** Batches that wait for a time of their own, and leave their place to others meanwhile. */
  get parked(): number {
    return this.#parked;
  }

  /** Whether requests are under way. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** What others that share the journal are to know. */
  get sharedPause(): SharedPause | undefined {
    const { failuresInARow: failures, openUntil: until } = this.#options.breaker;
    return until === undefined ? undefined : { until, failures };
  }

  /** Others that share the journal found that the service is to be left alone. */
  share({ until, failures }: SharedPause): void {
    const { breaker, clock } = this.#options;
    const leftMs = until - clock.now();
    // Longer than anybody waits: the clock was set back.
    if (leftMs > 0 && leftMs <= MAX_RETRY_AFTER_MS * (1 + JITTER)) breaker.open(leftMs, failures);
  }

  /** How long until a retry may be made, in milliseconds. While no request fails there is nothing to keep it from. */
  get retryWaitMs(): number {
    const { breaker, clock } = this.#options;
    return breaker.isClean ? 0 : this.#budget.waitMs(clock.now());
  }

  /** How many batches are worth being taken: where requests have to wait, a batch that waits with them is not fresh for long. */
  get mostTaken(): number {
    return Math.ceil(this.#options.rateLimit.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Resolves to a pass when a request with so many events may be made, or to undefined when the signal aborts. */
  async admit(events: number, isRetry: boolean, signal: AbortSignal): Promise<Pass | undefined> {
    const { breaker, clock, rateLimit } = this.#options;
    while (await breaker.admit(events, signal)) {
      // Just now.
      if (breaker.state === 'open') continue;
      // A probe is spaced already.
      if (breaker.state === 'half-open') return this.start();
      const now = clock.now();
      const waitMs = Math.max(rateLimit.waitMs(now), isRetry ? this.retryWaitMs : 0);
      if (waitMs > 0) {
        await (isRetry ? this.park(waitMs, signal) : sleep(clock, waitMs, signal));
      } else if (this.#underWay >= this.#window) {
        await this.#freed(signal);
      } else {
        if (isRetry) this.#budget.take();
        return this.start();
      }
    }
    return undefined;
  }

  /** Whether a request that cannot wait may be made. */
  get isFree(): boolean {
    const { breaker, clock, rateLimit } = this.#options;
    return breaker.state === 'closed' && rateLimit.waitMs(clock.now()) === 0;
  }

  /** A request is made. */
  start(): Pass {
    const { breaker, clock, rateLimit } = this.#options;
    const at = clock.now();
    rateLimit.take(at);
    this.#underWay += 1;
    return { era: breaker.era, at };
  }

  /** The request of a pass has ended. */
  end(): void {
    this.#underWay -= 1;
    for (const wake of [...this.#waiting]) wake();
    this.#options.onChange();
  }

  /** The service took a request. */
  accepted({ era }: Pass): void {
    const { clock, concurrency, rateLimit } = this.#options;
    this.#window = Math.min(concurrency, this.#window + 1);
    this.#budget.succeeded();
    rateLimit.accepted(clock.now());
    this.#pauses = 0;
    this.answered(era);
  }

  /** The service works, whatever it says of the events that it was sent. */
  answered(era: number): void {
    const { breaker, onResumed, rateLimit } = this.#options;
    if (era !== breaker.era) return;
    if (breaker.state !== 'closed') this.#window = 1;
    // A service that was away says nothing of how much it bears.
    if (this.#isBroken) rateLimit.forget();
    this.#isBroken = false;
    breaker.succeed(era);
    if (this.#pause === undefined) return;
    this.#pause = undefined;
    onResumed();
  }

  /** The service pushes back: it is to be sent less. */
  pushedBack({ at }: Pass, isAlive?: boolean): void {
    const { clock, rateLimit } = this.#options;
    rateLimit.pushedBack(at, clock.now(), isAlive);
  }

  /** A request failed. Resolves when it may be made again, or the signal aborts. */
  async failed(
    { era }: Pass,
    { failures, retryAfterMs, isAlive = false }: Failure,
    signal: AbortSignal,
  ): Promise<void> {
    const { backoff, breaker, clock, random, rateLimit } = this.#options;
    // A service that only says how much it bears is for the rate limit, once there is one.
    const isRated =
      isAlive && rateLimit.perSecond !== undefined && !rateLimit.isExhausted && breaker.state === 'closed';
    const isBroken = !isRated && breaker.fail(era);
    if (retryAfterMs !== undefined) {
      const jitter = 1 + JITTER * random();
      const askedMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) * jitter;
      // It tells all clients the same, each time: that alone does not make them fewer.
      breaker.open(Math.max(askedMs, rateLimit.waitMs(clock.now())));
    } else if (isBroken) {
      this.#isBroken = true;
      breaker.open(this.#probeDelayMs());
    } else {
      await this.park(backoffDelayMs(failures, backoff, random), signal);
    }
  }

  /** Waits, and leaves the place to others meanwhile. Never rejects. */
  async park(delayMs: number, signal: AbortSignal): Promise<void> {
    const { clock, onChange } = this.#options;
    this.#parked += 1;
    onChange();
    await sleep(clock, delayMs, signal);
    this.#parked -= 1;
  }

  /** Nothing is wrong with the events: no request for a while, longer from time to time. */
  hold({ era }: Pass, reason: PauseReason, status: number, isSlow = false): void {
    const { breaker, clock, onPaused, random } = this.#options;
    // Several requests that were under way at once are told the same: that is one pause.
    if (era !== breaker.era) return;
    const { baseMs, maxMs } = isSlow ? SLOW_PAUSE : PAUSE;
    const jitter = 1 + JITTER * random();
    const delayMs = Math.round(Math.min(maxMs, baseMs * 2 ** this.#pauses * jitter));
    this.#pauses += 1;
    this.#pause = { reason, status, until: clock.now() + delayMs };
    breaker.open(delayMs);
    onPaused(this.#pause);
  }

  /** The network may be back: the service is asked now, unless it has asked for time itself, or finds fault with us. */
  hint(): void {
    const reason = this.#pause?.reason;
    if (reason === 'blocked' || (this.#isBroken && reason === undefined)) this.#options.breaker.hint();
  }

  /** What the service was refused for is mended: it is asked now. */
  resume(): void {
    this.#pauses = 0;
    this.#options.breaker.tryNow();
  }

  /** How long to wait before a service that fails is asked again. Never less than the longest wait, once that is reached. */
  #probeDelayMs(): number {
    const { backoff, breaker, random } = this.#options;
    const failures = breaker.failuresInARow;
    const isLongest = backoff.baseMs * 2 ** Math.min(failures, 64) >= backoff.maxMs;
    return isLongest
      ? backoff.maxMs * (1 + PROBE_JITTER * random())
      : backoffDelayMs(failures, backoff, random);
  }

  #freed(signal: AbortSignal): Promise<void> {
    return untilWoken(signal, (wake) => {
      this.#waiting.add(wake);
      return () => this.#waiting.delete(wake);
    });
  }
}
