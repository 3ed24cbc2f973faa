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
/** So does half of the last requests. */
const WINDOW_REQUESTS = 20;
/** A network that comes and goes gives many hints. */
const HINT_MS = 60_000;

/** A request that may be made. */
export interface Pass {
  /** Grows each time that the breaker opens or is told to try: what a request of an earlier era is answered is old news. */
  readonly era: number;
  readonly at: number;
}

/** A request that did not succeed, and is to be made again. */
export interface Failure {
  /** How many failed before it with the same events. */
  readonly failures: number;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the service says by it that it is sent too much. */
  readonly isPushback?: boolean;
  /** Whether nothing but the rate of requests is wrong. */
  readonly isAlive?: boolean;
}

export interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Requests at the same time. */
  readonly concurrency: number;
  readonly backoff: Backoff;
  /** Retries that a success allows. */
  readonly retriesPerSuccess: number;
  readonly reporter: Pick<Reporter, 'emit'>;
  /** Whether no request is to be made to see whether more may follow: when that is over, `catchUp()` is to be called. */
  readonly rests?: (() => boolean) | undefined;
  /** Whether requests are under way, or may be made soon, may have changed: by this state of the breaker, where there is a new one. */
  readonly onChange: (state?: BreakerState) => void;
}

interface Waiter {
  readonly events: number;
  /** Of one who waits for it to be known that nothing can become of any event before. */
  readonly until: number | undefined;
  readonly wake: () => void;
}

/**
 * Says when a request may be made, and learns from what becomes of it: a breaker keeps requests from a service that does not
 * want or cannot answer them; beside it a rate, a budget of retries, and a slow start after an outage.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #budget: RetryBudget;
  readonly #rateLimit: RateLimit;
  /** Those who wait for a request to end or the breaker to change. */
  readonly #waiting = new Set<Waiter>();
  #state: BreakerState = 'closed';
  #era = 0;
  #isProbing = false;
  #isStopped = false;
  /** While the breaker is open. */
  readonly #alarm: Alarm;
  #openUntil = 0;
  #openForMs = 0;
  #hintedAt = Number.NEGATIVE_INFINITY;
  #failuresInARow = 0;
  /** Whether each of the last requests failed. */
  #lastFailed: boolean[] = [];
  /** Whether the breaker opened because requests failed, not because the service asked for time. */
  #isBroken = false;
  #pauses = 0;
  #pause: Pause | undefined;
  /** Requests at the same time, for now: after an outage one, and one more with each success. */
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

  /** Why no request is made but a probe from time to time. */
  get pause(): Pause | undefined {
    // The probe may have failed otherwise since, or the service asked for more time.
    const until = this.openUntil;
    return this.#pause && until !== undefined ? { ...this.#pause, until } : this.#pause;
  }

  /** Requests per second at the most; undefined where there is no limit. */
  get perSecond(): number | undefined {
    return this.#rateLimit.perSecond;
  }

  /** Until when no request is made, in milliseconds since 1970; undefined where one may be made now. */
  get openUntil(): number | undefined {
    if (this.#state !== 'open') return undefined;
    // Never longer than was asked, also where the time of day was set back.
    return Math.min(this.#openUntil, this.#options.clock.now() + this.#openForMs);
  }

  /** Batches that wait for a time of their own, and leave their place to others meanwhile. */
  get parked(): number {
    return this.#parked;
  }

  /** Whether requests are under way. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** How long until a retry may be made, in milliseconds. While no request fails there is nothing to keep it from. */
  get retryWaitMs(): number {
    const isClean = this.#lastFailed.length === WINDOW_REQUESTS && !this.#lastFailed.includes(true);
    return isClean ? 0 : this.#budget.waitMs(this.#options.clock.now());
  }

  /** How many batches are worth being taken: where requests have to wait, a batch that waits with them is not fresh for long. */
  get mostTaken(): number {
    return Math.ceil(this.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a request that cannot wait may be made. */
  get isFree(): boolean {
    return this.#state === 'closed' && this.#rateLimit.waitMs(this.#options.clock.now()) === 0;
  }

  /** What others that share the journal are to know. */
  get sharedPause(): SharedPause | undefined {
    const until = this.openUntil;
    if (until === undefined) return undefined;
    // 0: we are at fault, or somebody in between. A page that opens may find that mended.
    const mayBeMended = this.#pause && this.#pause.reason !== 'refused';
    return { until, failures: mayBeMended ? 0 : this.#failuresInARow || 1 };
  }

  /** Others that share the journal found that the service is to be left alone. */
  share({ until, failures }: SharedPause): void {
    const leftMs = until - this.#options.clock.now();
    // Longer than anybody waits: the clock was set back.
    if (leftMs <= 0 || leftMs > LONGEST_WAIT_MS) return;
    this.#failuresInARow = Math.max(this.#failuresInARow, failures);
    this.#open(leftMs);
  }

  /**
   * Resolves to a pass when a request with so many events may be made, or to undefined when the signal aborts. While half-open
   * only one gets through, that with the fewest events.
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

  /** A request is made. */
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

  /** The service took a request. */
  accepted(pass: Pass): void {
    const { clock, concurrency } = this.#options;
    this.#window = Math.min(concurrency, this.#window + 1);
    this.#budget.succeeded();
    this.#rateLimit.accepted(clock.now());
    this.#pauses = 0;
    this.answered(pass);
  }

  /** Whether what a request is answered is news: nothing was mended since it was made. */
  isCurrent({ era }: Pass): boolean {
    return era === this.#era;
  }

  /** The service works, whatever it says of the events that it was sent. */
  answered(pass: Pass): void {
    // An answer to what was sent before the breaker opened does not cut its time short.
    if (!this.isCurrent(pass)) return;
    // A service that was away says nothing of how much it bears.
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

  /** A request failed. Resolves when it may be made again, or the signal aborts. */
  async failed(
    { era, at }: Pass,
    { failures, retryAfterMs, isPushback = false, isAlive = false }: Failure,
    signal: AbortSignal,
  ): Promise<void> {
    const { backoff, clock, random } = this.#options;
    const rateLimit = this.#rateLimit;
    if (isPushback) rateLimit.pushedBack(at, clock.now(), isAlive);
    // A service that only says how much it bears is for the rate limit, once there is one.
    const isRated = isAlive && !rateLimit.isExhausted && this.perSecond !== undefined;
    const isBroken = (!isRated || this.#state !== 'closed') && this.#isTooMuch(era);
    if (retryAfterMs !== undefined) {
      // It tells all clients the same, each time: that alone does not make them fewer.
      this.#open(Math.max(askedMs(retryAfterMs, random), rateLimit.waitMs(clock.now())));
    } else if (isBroken) {
      this.#isBroken = true;
      this.#open(probeMs(this.#failuresInARow, backoff, random));
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
  hold(pass: Pass, reason: PauseReason, status: number, isSlow = false): void {
    const { clock, random, reporter } = this.#options;
    // Several requests that were under way at once are told the same: that is one pause.
    if (!this.isCurrent(pass)) return;
    const delayMs = pauseMs(this.#pauses, isSlow, random);
    this.#pauses += 1;
    this.#pause = { reason, status, until: clock.now() + delayMs };
    this.#open(delayMs);
    reporter.emit('paused', this.#pause);
  }

  /** The network may be back: the service is asked now, unless it has asked for time itself, finds fault with us, or was asked so of late. */
  hint(): void {
    const { clock, rests } = this.#options;
    const now = clock.now();
    const reason = this.#pause?.reason;
    const mayHelp = reason ? reason === 'blocked' || reason === 'intercepted' : this.#isBroken;
    if (!mayHelp || this.#state !== 'open' || rests?.() || Math.abs(now - this.#hintedAt) < HINT_MS) return;
    this.#hintedAt = now;
    this.#tryNow();
  }

  /** The network may be gone: one request says whether it is, as the last of those that open the breaker. */
  doubt(): void {
    if (this.#state !== 'closed') return;
    this.#failuresInARow = FAILURES_TO_OPEN - 1;
    this.#enter('half-open');
  }

  /** What the service was refused for is mended: it is asked now. */
  resume(): void {
    this.#pauses = 0;
    this.#tryNow();
  }

  /** Timers stand still while a function is frozen or a machine sleeps; the time of day goes on. */
  catchUp(): void {
    if (this.#state === 'open' && this.#options.clock.now() >= this.#openUntil) this.#tryNow();
  }

  /** Resolves with the work, or as soon as nothing can become of any event before `until`, in milliseconds since 1970. */
  async whileUseful(work: Promise<void>, until: number): Promise<void> {
    this.catchUp();
    const over = new AbortController();
    const end = () => over.abort();
    void work.then(end, end);
    if (!this.#isStalled(until)) await this.#change(0, over.signal, until);
  }

  /** Cancels the timer, for good: whatever waits does so until its signal aborts. */
  stop(): void {
    this.#isStopped = true;
    this.#alarm.cancel();
  }

  /** How long until a request may be made, in milliseconds; infinite where that is not known. */
  #waitMs(isRetry: boolean): number {
    // A probe is spaced already.
    if (this.#state === 'half-open' && !this.#isProbing) return 0;
    if (this.#state !== 'closed') return Number.POSITIVE_INFINITY;
    const waitMs = Math.max(
      this.#rateLimit.waitMs(this.#options.clock.now()),
      isRetry ? this.retryWaitMs : 0,
    );
    return waitMs === 0 && this.#underWay >= this.#window ? Number.POSITIVE_INFINITY : waitMs;
  }

  /** Whether no request is under way, and none will be made before. */
  #isStalled(until: number): boolean {
    return this.#underWay === 0 && (this.openUntil ?? 0) >= until;
  }

  /** Takes note of a failure. Returns whether no other request should be made for a while. */
  #isTooMuch(era: number): boolean {
    // What was sent before the breaker opened is not to end the probe that finds out about now.
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

  /** No request for `delayMs` milliseconds, or for what is left of the time that it is open already; then one. */
  #open(delayMs: number): void {
    this.#alarm.cancel();
    if (this.#isStopped) return;
    const now = this.#options.clock.now();
    this.#openForMs = Math.max(delayMs, (this.openUntil ?? now) - now);
    this.#openUntil = now + this.#openForMs;
    this.#alarm.set(this.#openForMs);
    if (this.#state !== 'open') this.#era += 1;
    this.#lastFailed = [];
    this.#enter('open');
  }

  /** What was sent before is old news; where the breaker is open, its time ends: one request is made now. */
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
    // In this order: the first to ask is the one that gets through.
    for (const { until, wake } of [...this.#waiting].sort((a, b) => a.events - b.events))
      if (until === undefined || this.#isStalled(until)) wake();
  }

  #change(events: number, signal: AbortSignal, until?: number): Promise<void> {
    return untilWoken(signal, (wake) => {
      const waiter = { events, until, wake };
      this.#waiting.add(waiter);
      return () => this.#waiting.delete(waiter);
    });
  }
}
