import { type Backoff, backoffDelayMs } from '@sluice/protocol';
import { Alarm } from '../base/alarm.ts';
import { type Clock, sleep, untilWoken } from '../base/clock.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState, Pause, PauseReason } from '../tell/stats.ts';
import { RateLimit } from './rate-limit.ts';
import { RetryBudget } from './retry-budget.ts';
import type { SharedPause } from './shared-pause.ts';
import { askedMs, LONGEST_WAIT_MS, pauseMs, probeMs } from './wait-times.ts';

/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 5;
/** If half of this many last requests failed, the breaker opens too. */
const WINDOW_REQUESTS = 20;
/** Hints count at most once in this time: an unstable network gives many. */
const HINT_MS = 60_000;

/** The right to make one request. */
export interface Pass {
  /** The breaker's era when the request was made. Answers to requests of an earlier era no longer count. */
  readonly era: number;
  readonly at: number;
}

/** A request that failed and will be retried. */
export interface Failure {
  /** How many requests with the same events failed before. */
  readonly failures: number;
  /** How long the service asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the service says that it gets too many requests. */
  readonly isPushback?: boolean;
  /** Whether the service works and only the rate of requests is wrong. */
  readonly isAlive?: boolean;
}

export interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Maximum number of requests at the same time. */
  readonly concurrency: number;
  readonly backoff: Backoff;
  /** Retries that one success allows. */
  readonly retriesPerSuccess: number;
  readonly reporter: Pick<Reporter, 'emit'>;
  /** Whether probes must wait, for example because the page is hidden. When this turns false, call `catchUp()`. */
  readonly rests?: (() => boolean) | undefined;
  /** Called when a request ended, a batch was parked, or the breaker changed its state: the sender may have work now. */
  readonly onChange: (state?: BreakerState) => void;
}

interface Waiter {
  readonly events: number;
  /** Set if the caller waits for it to be known that no request will be made before this time. */
  readonly until: number | undefined;
  readonly wake: () => void;
}

/**
 * Decides when a request may be made, and learns from each outcome. The breaker stops requests while the service cannot or does
 * not want to answer them. The gate also limits the rate of requests, the retries, and the number of requests after an outage.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #budget: RetryBudget;
  readonly #rateLimit: RateLimit;
  /** Callers that wait for a request to end or for the breaker to change. */
  readonly #waiting = new Set<Waiter>();
  /** Circuit breaker. `closed`: requests may be made. `open`: no request for a time. `half-open`: one request, the probe. */
  #state: BreakerState = 'closed';
  /** Grows when the breaker opens, and with each `#tryNow()`. */
  #era = 0;
  /** Whether a request was made since the current state began. Half-open allows only one. */
  #isProbing = false;
  #isStopped = false;
  /** Runs while the breaker is open. Then the breaker becomes half-open. */
  readonly #alarm: Alarm;
  #openUntil = 0;
  #openForMs = 0;
  /** Whether pages that open later wait as well: the service asked for the time, or refuses everything. */
  #isForAll = false;
  #hintedAt = Number.NEGATIVE_INFINITY;
  /** Failures since the last success. */
  #failuresInARow = 0;
  /** For each of the last requests: whether it failed. */
  #lastFailed: boolean[] = [];
  /** Whether the breaker opened because requests failed, not because the service asked for time. */
  #isBroken = false;
  #pauses = 0;
  #pause: Pause | undefined;
  /** Current maximum of requests at the same time. After an outage it starts at 1 and grows by 1 with each success. */
  #window: number;
  #underWay = 0;
  #parked = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    const { clock, rests } = options;
    this.#alarm = new Alarm(clock, () => {
      if (!rests?.()) this.#enter('half-open');
    });
    this.#window = options.concurrency;
    this.#budget = new RetryBudget(options.retriesPerSuccess, clock.now());
    this.#rateLimit = new RateLimit((perSecond) => options.reporter.emit('rateLimit', { perSecond }));
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Why the sender makes no request except a probe from time to time; undefined if it is not paused. */
  get pause(): Pause | undefined {
    // A later probe may have failed in another way, or the service asked for more time: `openUntil` is the current end.
    const until = this.openUntil;
    return this.#pause && until !== undefined ? { ...this.#pause, until } : this.#pause;
  }

  /** Maximum of requests per second; undefined if there is no limit. */
  get perSecond(): number | undefined {
    return this.#rateLimit.perSecond;
  }

  /** Until when no request is made, in milliseconds since 1970; undefined if the breaker is not open. */
  get openUntil(): number | undefined {
    if (this.#state !== 'open') return undefined;
    // If the clock was set back, the remaining time is still at most the time that was asked for.
    return Math.min(this.#openUntil, this.#options.clock.now() + this.#openForMs);
  }

  /** Batches that wait for a time of their own. Meanwhile they do not take the place of others. */
  get parked(): number {
    return this.#parked;
  }

  /** Whether a request is pending. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** How long until a retry may be made, in milliseconds; 0 if the recent requests all succeeded. */
  get retryWaitMs(): number {
    const isClean = this.#lastFailed.length === WINDOW_REQUESTS && !this.#lastFailed.includes(true);
    return isClean ? 0 : this.#budget.waitMs(this.#options.clock.now());
  }

  /**
   * How many batches are worth taking at once. With a rate limit that is one second's worth: more would only wait and get old.
   */
  get mostTaken(): number {
    return Math.ceil(this.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a request that cannot wait may be made now. */
  get isFree(): boolean {
    return this.#state === 'closed' && this.#rateLimit.waitMs(this.#options.clock.now()) === 0;
  }

  /** What other tabs that share the journal need to know; undefined if the breaker is not open. */
  get sharedPause(): SharedPause | undefined {
    const until = this.openUntil;
    if (until === undefined) return undefined;
    return { until, failures: this.#isForAll ? 0 : this.#failuresInARow || 1 };
  }

  /**
   * Another tab that shares the journal found that the service needs time: opens the breaker.
   *
   * @param isFirst Whether the page was just opened. Then it makes a probe at once, unless `failures` is 0.
   */
  share({ until, failures }: SharedPause, isFirst: boolean): void {
    const leftMs = until - this.#options.clock.now();
    // No wait is longer than LONGEST_WAIT_MS. A longer one means that the clock was set back.
    if (leftMs <= 0 || leftMs > LONGEST_WAIT_MS) return;
    this.#failuresInARow = Math.max(this.#failuresInARow, failures);
    this.#open(leftMs, !failures);
    if (isFirst && failures) this.#tryNow();
  }

  /**
   * Resolves to a pass when a request with this many events may be made; to undefined when the signal aborts. While half-open,
   * only one request is admitted: the waiting one with the fewest events.
   */
  async admit(events: number, isRetry: boolean, signal: AbortSignal): Promise<Pass | undefined> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const waitMs = this.#waitMs(isRetry);
      if (waitMs === 0) {
        if (isRetry && this.#state === 'closed') this.#budget.take();
        return this.start();
      }
      if (waitMs === Number.POSITIVE_INFINITY) await this.#change(events, signal);
      else await (isRetry ? this.park(waitMs, signal) : sleep(clock, waitMs, signal));
    }
    return undefined;
  }

  /** Counts a new request and returns its pass. */
  start(): Pass {
    const at = this.#options.clock.now();
    this.#rateLimit.take(at);
    this.#underWay += 1;
    this.#isProbing = true;
    return { era: this.#era, at };
  }

  /** The request of a pass has ended. */
  end(): void {
    this.#underWay -= 1;
    this.#wake();
    this.#options.onChange();
  }

  /** The service accepted a request. */
  accepted(pass: Pass): void {
    const { clock, concurrency } = this.#options;
    this.#window = Math.min(concurrency, this.#window + 1);
    this.#budget.succeeded();
    this.#rateLimit.accepted(clock.now());
    this.#pauses = 0;
    this.answered(pass);
  }

  /** Whether the answer to a request still counts: since it was made, the breaker has not opened or been told to try. */
  isCurrent({ era }: Pass): boolean {
    return era === this.#era;
  }

  /** The service works, whatever it says about the events of the request. */
  answered(pass: Pass): void {
    // The request was made before the breaker opened: its answer must not end the open state early.
    if (!this.isCurrent(pass)) return;
    // Refusals during an outage say nothing about the rate that the service can take.
    if (this.#isBroken) this.#rateLimit.forget();
    this.#isBroken = false;
    this.#failuresInARow = 0;
    this.#record(false);
    if (this.#state !== 'closed') {
      this.#window = 1;
      this.#enter('closed');
    }
    if (this.#pause === undefined) return;
    this.#pause = undefined;
    this.#options.reporter.emit('resumed', {});
  }

  /** A request failed. Resolves when `admit()` may be called for it again, or when the signal aborts. */
  async failed(
    { era, at }: Pass,
    { failures, retryAfterMs, isPushback = false, isAlive = false }: Failure,
    signal: AbortSignal,
  ): Promise<void> {
    const { backoff, clock, random } = this.#options;
    const rateLimit = this.#rateLimit;
    if (isPushback) rateLimit.pushedBack(at, clock.now(), isAlive);
    // If the service works and only pushes back, the rate limit handles it, unless there is none yet or it no longer helps.
    const isRated = isAlive && !rateLimit.isExhausted && this.perSecond !== undefined;
    const isBroken = (!isRated || this.#state !== 'closed') && this.#isTooMuch(era);
    if (retryAfterMs !== undefined) {
      // Every client gets the same Retry-After, so that alone does not reduce the load: the rate limit applies too.
      this.#open(Math.max(askedMs(retryAfterMs, random), rateLimit.waitMs(clock.now())), true);
    } else if (isBroken) {
      this.#isBroken = true;
      this.#open(probeMs(this.#failuresInARow, backoff, random));
    } else {
      await this.park(backoffDelayMs(failures, backoff, random), signal);
    }
  }

  /** Waits without taking the place of other requests. Never rejects. */
  async park(delayMs: number, signal: AbortSignal): Promise<void> {
    const { clock, onChange } = this.#options;
    this.#parked += 1;
    onChange();
    await sleep(clock, delayMs, signal);
    this.#parked -= 1;
  }

  /** Pauses the sender, because the events are not at fault. Each pause in a row is longer, up to a limit. */
  hold(pass: Pass, reason: PauseReason, status: number, isSlow = false): void {
    const { clock, random, reporter } = this.#options;
    // Several pending requests may get the same answer: that counts as one pause.
    if (!this.isCurrent(pass)) return;
    const delayMs = pauseMs(this.#pauses, isSlow, random);
    this.#pauses += 1;
    this.#pause = { reason, status, until: clock.now() + delayMs };
    this.#open(delayMs, reason === 'refused');
    reporter.emit('paused', this.#pause);
  }

  /**
   * The network may be back: sends a probe now. Only if the network may be the reason for the failures or the pause, and at
   * most once in `HINT_MS`.
   */
  hint(): void {
    const { clock, rests } = this.#options;
    const now = clock.now();
    const reason = this.#pause?.reason;
    const mayHelp = reason ? reason === 'blocked' || reason === 'intercepted' : this.#isBroken;
    if (!mayHelp || this.#state !== 'open' || rests?.() || Math.abs(now - this.#hintedAt) < HINT_MS) return;
    this.#hintedAt = now;
    this.#tryNow();
  }

  /** The network may be gone: one request finds out. If it fails, the breaker opens. */
  doubt(): void {
    if (this.#state !== 'closed') return;
    this.#failuresInARow = FAILURES_TO_OPEN - 1;
    this.#enter('half-open');
  }

  /** The reason for the refusals is fixed, for example by a new key: sends a probe now. */
  resume(): void {
    this.#pauses = 0;
    this.#tryNow();
  }

  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void {
    if (this.#state === 'open' && this.#options.clock.now() >= this.#openUntil) this.#tryNow();
  }

  /** Resolves when the work ends, or when no request is pending and none will be made before `until` (in ms since 1970). */
  async whileUseful(work: Promise<void>, until: number): Promise<void> {
    this.catchUp();
    const over = new AbortController();
    const end = () => over.abort();
    void work.then(end, end);
    if (!this.#isStalled(until)) await this.#change(0, over.signal, until);
  }

  /** Cancels the timer for good. Requests that wait then wait until their signal aborts. */
  stop(): void {
    this.#isStopped = true;
    this.#alarm.cancel();
  }

  /** How long until a request may be made, in milliseconds; Infinity if that is not known. */
  #waitMs(isRetry: boolean): number {
    // The breaker spaces the probes, so no other limit applies.
    if (this.#state === 'half-open' && !this.#isProbing) return 0;
    if (this.#state !== 'closed') return Number.POSITIVE_INFINITY;
    const waitMs = Math.max(
      this.#rateLimit.waitMs(this.#options.clock.now()),
      isRetry ? this.retryWaitMs : 0,
    );
    return waitMs === 0 && this.#underWay >= this.#window ? Number.POSITIVE_INFINITY : waitMs;
  }

  /** Whether no request is pending and none will be made before `until`. */
  #isStalled(until: number): boolean {
    return this.#underWay === 0 && (this.openUntil ?? 0) >= until;
  }

  /** Records a failure. Returns whether no other request should be made for a while. */
  #isTooMuch(era: number): boolean {
    // The request was made before the breaker opened: it must not end the current probe.
    if (era !== this.#era) return false;
    this.#failuresInARow += 1;
    this.#record(true);
    const failed = this.#lastFailed.filter((isFailure) => isFailure).length;
    const isHalf = this.#lastFailed.length === WINDOW_REQUESTS && failed * 2 >= WINDOW_REQUESTS;
    return this.#state !== 'closed' || this.#failuresInARow >= FAILURES_TO_OPEN || isHalf;
  }

  #record(isFailure: boolean): void {
    this.#lastFailed.push(isFailure);
    if (this.#lastFailed.length > WINDOW_REQUESTS) this.#lastFailed.shift();
  }

  /** Opens the breaker for `delayMs` milliseconds, or for the remaining time if that is longer. Then it becomes half-open. */
  #open(delayMs: number, isForAll = false): void {
    this.#alarm.cancel();
    if (this.#isStopped) return;
    this.#isForAll = isForAll;
    const now = this.#options.clock.now();
    this.#openForMs = Math.max(delayMs, (this.openUntil ?? now) - now);
    this.#openUntil = now + this.#openForMs;
    this.#alarm.set(this.#openForMs);
    if (this.#state !== 'open') this.#era += 1;
    this.#lastFailed = [];
    this.#enter('open');
  }

  /** Starts a new era, so that answers to earlier requests no longer count. If not closed, becomes half-open now. */
  #tryNow(): void {
    if (this.#isStopped) return;
    this.#era += 1;
    if (this.#state === 'closed') return;
    this.#alarm.cancel();
    this.#enter('half-open');
  }

  #enter(state: BreakerState): void {
    const isChange = state !== this.#state;
    this.#state = state;
    this.#isProbing = false;
    this.#wake();
    if (!isChange) return;
    this.#options.reporter.emit('breaker', { state });
    this.#options.onChange(state);
  }

  #wake(): void {
    // Fewest events first: the first caller that asks is admitted.
    for (const { until, wake } of [...this.#waiting].sort((a, b) => a.events - b.events))
      if (until === undefined || this.#isStalled(until)) wake();
  }

  /** Resolves with the next `#wake()` that is meant for this caller, or when the signal aborts. */
  #change(events: number, signal: AbortSignal, until?: number): Promise<void> {
    return untilWoken(signal, (wake) => {
      const waiter = { events, until, wake };
      this.#waiting.add(waiter);
      return () => this.#waiting.delete(waiter);
    });
  }
}
