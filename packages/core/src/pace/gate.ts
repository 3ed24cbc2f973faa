import { type Backoff, backoffDelayMs, type Clock, sleep } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState, Pause, PauseReason } from '../tell/stats.ts';
import type { RateLimit } from './limits.ts';
import { Line } from './line.ts';
import type { Failure, Pass } from './pass.ts';
import { RetryBudget } from './retry-budget.ts';
import type { SharedPause } from './shared-pause.ts';
import { askedMs, pauseMs, probeMs } from './wait-times.ts';

const FAILURES_TO_OPEN = 5;
/** After this many successes in a row, retries need no budget. */
const SUCCESSES_TO_TRUST = 20;
/** Hints count at most once in this time: an unstable network gives many. */
const HINT_MS = 60_000;

interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly concurrency: number;
  readonly backoff: Backoff;
  readonly retriesPerSuccess: number;
  readonly rate?: RateLimit | undefined;
  readonly reporter: Pick<Reporter, 'emit'>;
  /** Whether probes must wait, for example because the page is hidden. When this turns false, call `catchUp()`. */
  readonly rests?: (() => boolean) | undefined;
  /** Called when a request ended, a batch was parked, or the breaker changed its state: the sender may have work now. */
  readonly onChange: (state?: BreakerState) => void;
}

/**
 * Decides when a request may be made. The breaker stops requests while the service cannot or does not want to answer them. The
 * gate also limits the retries, and the number of requests after an outage.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #budget: RetryBudget;
  /** Callers that wait for a request to end or for the breaker to change. The one with the fewest events goes first. */
  readonly #line = new Line();
  /** Circuit breaker. `closed`: requests may be made. `open`: no request for a time. `half-open`: one request, the probe. */
  #state: BreakerState = 'closed';
  /** Grows when the breaker opens, and with each `#tryNow()`. */
  #era = 0;
  /** Whether a request was made since the current state began. Half-open allows only one. */
  #isProbing = false;
  readonly #alarm: Alarm;
  /** Whether pages that open later wait as well: the service asked for the time, or refuses everything. */
  #isForAll = false;
  #hintedAt = Number.NEGATIVE_INFINITY;
  /** Successes in a row. Below 0: failures in a row. */
  #streak = 0;
  #pauses = 0;
  #pause: Pause | undefined;
  /** Current maximum of requests at the same time. After an outage it starts at 1 and grows by 1 with each success. */
  #window: number;
  #underWay = 0;
  #parked = 0;

  constructor(options: GateOptions) {
    const { clock, concurrency, rests, retriesPerSuccess } = options;
    this.#options = options;
    this.#window = concurrency;
    this.#budget = new RetryBudget(retriesPerSuccess, clock.now());
    this.#alarm = new Alarm(clock, () => {
      if (!rests?.()) this.#tryNow();
    });
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Why the sender makes only a probe from time to time, and when the next one is; undefined if it is not paused. */
  get pause(): Pause | undefined {
    return this.#pause && { ...this.#pause, until: this.#alarm.until ?? this.#pause.until };
  }

  /** Batches that wait for a time of their own. Meanwhile they do not take the place of others. */
  get parked(): number {
    return this.#parked;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** How long until a retry may be made, in milliseconds; 0 if the recent requests all succeeded. */
  get retryWaitMs(): number {
    return this.#streak >= SUCCESSES_TO_TRUST ? 0 : this.#budget.waitMs(this.#options.clock.now());
  }

  /** How many batches are worth taking at once. With a rate limit, what exceeds one second's worth would only get old. */
  get mostTaken(): number {
    return Math.ceil(this.#options.rate?.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a request that cannot wait may be made now. */
  get isFree(): boolean {
    return this.#state === 'closed' && this.#rateWaitMs === 0;
  }

  /** What other tabs that share the journal need to know; undefined if the breaker is not open. */
  get sharedPause(): SharedPause | undefined {
    const { until } = this.#alarm;
    return until === undefined ? until : { until, failures: this.#isForAll ? 0 : Math.max(1, -this.#streak) };
  }

  /** Another tab found that the service needs time. A page that was just opened asks at once, unless `failures` is 0. */
  share({ until, failures }: SharedPause, isFirst: boolean): void {
    const leftMs = until - this.#options.clock.now();
    if (leftMs <= 0) return;
    this.#streak = Math.min(this.#streak, -failures);
    this.#open(leftMs, !failures);
    if (isFirst && failures) this.#tryNow();
  }

  /** Resolves to a pass when a request with this many events may be made; to undefined when the signal aborts. */
  async admit(events: number, isRetry: boolean, signal: AbortSignal): Promise<Pass | undefined> {
    while (!signal.aborted) {
      const waitMs = this.#waitMs(isRetry);
      if (waitMs === 0) {
        if (isRetry && this.#state === 'closed') this.#budget.take();
        return this.start();
      }
      if (waitMs === Number.POSITIVE_INFINITY) await this.#line.wait(events, signal);
      else await (isRetry ? this.park(waitMs, signal) : sleep(this.#options.clock, waitMs, signal));
    }
    return undefined;
  }

  /** Counts a new request and returns its pass. */
  start(): Pass {
    const at = this.#options.clock.now();
    this.#options.rate?.take(at);
    this.#underWay += 1;
    this.#isProbing = true;
    return { era: this.#era, at };
  }

  end(): void {
    this.#underWay -= 1;
    this.#line.wake();
    this.#options.onChange();
  }

  accepted(pass: Pass): void {
    const { clock, concurrency, rate } = this.#options;
    this.#window = Math.min(concurrency, this.#window + 1);
    this.#budget.succeeded();
    rate?.accepted(clock.now());
    this.#pauses = 0;
    this.answered(pass);
  }

  /** Whether the answer to a request still counts: since it was made, the breaker has not opened or been told to try. */
  isCurrent({ era }: Pass): boolean {
    return era === this.#era;
  }

  /** The service works, whatever it says about the events of the request. */
  answered(pass: Pass): void {
    if (!this.isCurrent(pass)) return;
    // Refusals during an outage say nothing about the rate that the service can take.
    if (this.#isBroken) this.#options.rate?.forget();
    this.#streak = Math.max(0, this.#streak) + 1;
    if (this.#state !== 'closed') {
      this.#window = 1;
      this.#enter('closed');
    }
    const wasPaused = this.#pause;
    this.#pause = undefined;
    if (wasPaused) this.#options.reporter.emit('resumed', {});
  }

  /** A request failed. Resolves when `admit()` may be called for it again, or when the signal aborts. */
  async failed(pass: Pass, failure: Failure, signal: AbortSignal): Promise<void> {
    const { failures, retryAfterMs, isPushback, isAlive } = failure;
    const { backoff, clock, random, rate } = this.#options;
    const isRated = isPushback && rate?.pushedBack(pass.at, clock.now(), isAlive) && this.#state === 'closed';
    // Every client gets the same Retry-After, so that alone does not reduce the load: the rate limit applies too.
    if (retryAfterMs) return this.#open(Math.max(askedMs(retryAfterMs, random), this.#rateWaitMs), true);
    if (this.isCurrent(pass) && !isRated) {
      this.#streak = Math.min(0, this.#streak) - 1;
      if (this.#isBroken) return this.#open(probeMs(-this.#streak, backoff, random));
    }
    await this.park(backoffDelayMs(failures, backoff, random), signal);
  }

  /** Waits without taking the place of other requests. Never rejects. */
  async park(delayMs: number, signal: AbortSignal): Promise<void> {
    this.#parked += 1;
    this.#options.onChange();
    await sleep(this.#options.clock, delayMs, signal);
    this.#parked -= 1;
  }

  /** Pauses the sender, because the events are not at fault. Each pause in a row is longer, up to a limit. */
  hold(pass: Pass, reason: PauseReason, status: number, isSlow = false): void {
    // Several pending requests may get the same answer: that counts as one pause.
    if (!this.isCurrent(pass)) return;
    const { clock, random, reporter } = this.#options;
    const delayMs = pauseMs(this.#pauses, isSlow, random);
    this.#pauses += 1;
    this.#pause = { reason, status, until: clock.now() + delayMs };
    this.#open(delayMs, reason === 'refused');
    reporter.emit('paused', this.#pause);
  }

  /** The network may be back: sends a probe now, at most once in `HINT_MS`, if the network may be why requests fail. */
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
    if (this.#state === 'closed') this.#enter('half-open');
  }

  /** The reason for the refusals is fixed, for example by a new key: sends a probe now. */
  resume(): void {
    this.#pauses = 0;
    this.#tryNow();
  }

  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void {
    if (this.#state === 'open' && this.#options.clock.now() >= (this.#alarm.until ?? 0)) this.#tryNow();
  }

  /** Resolves when the work ends, or when no request is pending and none will be made before `until` (in ms since 1970). */
  async whileUseful(work: Promise<void>, until: number): Promise<void> {
    this.catchUp();
    const over = new AbortController();
    const end = () => over.abort();
    void work.then(end, end);
    while (!over.signal.aborted && (this.isBusy || (this.#alarm.until ?? 0) < until))
      await this.#line.wait(0, over.signal);
  }

  /** Cancels the timer for good. Requests that wait then wait until their signal aborts. */
  stop(): void {
    this.#alarm.stop();
  }

  get #isBroken(): boolean {
    return this.#streak <= -FAILURES_TO_OPEN;
  }

  get #rateWaitMs(): number {
    return this.#options.rate?.waitMs(this.#options.clock.now()) ?? 0;
  }

  /** How long until a request may be made, in milliseconds; Infinity if that is not known. */
  #waitMs(isRetry: boolean): number {
    // The breaker spaces the probes, so no other limit applies.
    if (this.#state === 'half-open' && !this.#isProbing) return 0;
    if (this.#state !== 'closed') return Number.POSITIVE_INFINITY;
    const waitMs = Math.max(this.#rateWaitMs, isRetry ? this.retryWaitMs : 0);
    return waitMs === 0 && this.#underWay >= this.#window ? Number.POSITIVE_INFINITY : waitMs;
  }

  /** Opens the breaker for `delayMs` milliseconds, or for the remaining time if that is longer. Then it becomes half-open. */
  #open(delayMs: number, isForAll = false): void {
    const leftMs = (this.#alarm.until ?? 0) - this.#options.clock.now();
    this.#isForAll = isForAll;
    this.#alarm.cancel();
    this.#alarm.set(Math.max(delayMs, leftMs));
    if (this.#state !== 'open') this.#era += 1;
    this.#enter('open');
  }

  /** Starts a new era, so that answers to earlier requests no longer count. If not closed, becomes half-open now. */
  #tryNow(): void {
    if (this.#alarm.isStopped) return;
    this.#era += 1;
    this.#alarm.cancel();
    if (this.#state !== 'closed') this.#enter('half-open');
  }

  #enter(state: BreakerState): void {
    const isChange = state !== this.#state;
    this.#state = state;
    this.#isProbing = false;
    // If the probe fails, the breaker opens.
    if (state === 'half-open') this.#streak = Math.min(this.#streak, 1 - FAILURES_TO_OPEN);
    this.#line.wake();
    if (!isChange) return;
    this.#options.reporter.emit('breaker', { state });
    this.#options.onChange(state);
  }
}
