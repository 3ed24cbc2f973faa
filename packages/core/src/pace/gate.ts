import { type Backoff, backoffDelayMs } from '@sluice/protocol';
import { type Clock, sleep } from '../base/clock.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState, Pause, PauseReason } from '../tell/stats.ts';
import { Breaker } from './breaker.ts';
import type { Failure, Pass } from './pass.ts';
import { RateLimit } from './rate-limit.ts';
import { RecentRequests } from './recent-requests.ts';
import { RetryBudget } from './retry-budget.ts';
import type { SharedPause } from './shared-pause.ts';
import { askedMs, LONGEST_WAIT_MS, pauseMs, probeMs } from './wait-times.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Hints count at most once in this time: an unstable network gives many. */
const HINT_MS = 60_000;

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

/**
 * Decides when a request may be made, and learns from each outcome. The breaker stops requests while the service cannot or does
 * not want to answer them. The gate also limits the rate of requests, the retries, and the number of requests after an outage.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #budget: RetryBudget;
  readonly #rateLimit: RateLimit;
  readonly #recent = new RecentRequests();
  readonly #waitingRoom = new WaitingRoom();
  readonly #breaker: Breaker;
  #hintedAt = Number.NEGATIVE_INFINITY;
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
    const { clock, rests, reporter, onChange } = options;
    this.#breaker = new Breaker({
      ...{ clock, rests },
      onEntered: (state, isChange) => {
        this.#wake();
        if (!isChange) return;
        reporter.emit('breaker', { state });
        onChange(state);
      },
    });
    this.#window = options.concurrency;
    this.#budget = new RetryBudget(options.retriesPerSuccess, clock.now());
    this.#rateLimit = new RateLimit((perSecond) => reporter.emit('rateLimit', { perSecond }));
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  /** Why the sender makes no request except a probe from time to time; undefined if it is not paused. */
  get pause(): Pause | undefined {
    // A later probe may have failed in another way, or the service asked for more time: the breaker knows the current end.
    const until = this.openUntil;
    return this.#pause && until !== undefined ? { ...this.#pause, until } : this.#pause;
  }

  /** Maximum of requests per second; undefined if there is no limit. */
  get perSecond(): number | undefined {
    return this.#rateLimit.perSecond;
  }

  /** Until when no request is made, in milliseconds since 1970; undefined if the breaker is not open. */
  get openUntil(): number | undefined {
    return this.#breaker.openUntil;
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
    return this.#recent.areClean ? 0 : this.#budget.waitMs(this.#options.clock.now());
  }

  /**
   * How many batches are worth taking at once. With a rate limit that is one second's worth: more would only wait and get old.
   */
  get mostTaken(): number {
    return Math.ceil(this.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a request that cannot wait may be made now. */
  get isFree(): boolean {
    return this.#breaker.state === 'closed' && this.#rateLimit.waitMs(this.#options.clock.now()) === 0;
  }

  /** What other tabs that share the journal need to know; undefined if the breaker is not open. */
  get sharedPause(): SharedPause | undefined {
    const until = this.openUntil;
    if (until === undefined) return undefined;
    // 0: the fault is ours, or of something between us and the service. A page that opens may find it fixed.
    const mayBeMended = this.#pause && this.#pause.reason !== 'refused';
    return { until, failures: mayBeMended ? 0 : this.#recent.failuresInARow || 1 };
  }

  /** Another tab that shares the journal found that the service needs time: opens the breaker. */
  share({ until, failures }: SharedPause): void {
    const leftMs = until - this.#options.clock.now();
    // A longer wait than any service asks for means that the clock was set back.
    if (leftMs <= 0 || leftMs > LONGEST_WAIT_MS) return;
    this.#recent.failuresInARow = Math.max(this.#recent.failuresInARow, failures);
    this.#open(leftMs);
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
        if (isRetry && this.#breaker.state === 'closed') this.#budget.take();
        return this.start();
      }
      if (waitMs === Number.POSITIVE_INFINITY) await this.#waitingRoom.wait(events, signal);
      else await (isRetry ? this.park(waitMs, signal) : sleep(clock, waitMs, signal));
    }
    return undefined;
  }

  /** Counts a new request and returns its pass. */
  start(): Pass {
    const at = this.#options.clock.now();
    this.#rateLimit.take(at);
    this.#underWay += 1;
    this.#breaker.isProbing = true;
    return { era: this.#breaker.era, at };
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
    return era === this.#breaker.era;
  }

  /** The service works, whatever it says about the events of the request. */
  answered(pass: Pass): void {
    // The request was made before the breaker opened: its answer must not end the open state early.
    if (!this.isCurrent(pass)) return;
    // Refusals during an outage say nothing about the rate that the service can take.
    if (this.#isBroken) this.#rateLimit.forget();
    this.#isBroken = false;
    this.#recent.succeeded();
    if (this.#breaker.state !== 'closed') {
      this.#window = 1;
      this.#breaker.enter('closed');
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
    const isBroken = (!isRated || this.#breaker.state !== 'closed') && this.#isTooMuch(era);
    if (retryAfterMs !== undefined) {
      // Every client gets the same Retry-After, so that alone does not reduce the load: the rate limit applies too.
      this.#open(Math.max(askedMs(retryAfterMs, random), rateLimit.waitMs(clock.now())));
    } else if (isBroken) {
      this.#isBroken = true;
      this.#open(probeMs(this.#recent.failuresInARow, backoff, random));
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
    this.#open(delayMs);
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
    if (!mayHelp || this.#breaker.state !== 'open' || rests?.() || Math.abs(now - this.#hintedAt) < HINT_MS)
      return;
    this.#hintedAt = now;
    this.#breaker.tryNow();
  }

  /** The network may be gone: one request finds out. If it fails, the breaker opens. */
  doubt(): void {
    if (this.#breaker.state !== 'closed') return;
    this.#recent.doubt();
    this.#breaker.enter('half-open');
  }

  /** The reason for the refusals is fixed, for example by a new key: sends a probe now. */
  resume(): void {
    this.#pauses = 0;
    this.#breaker.tryNow();
  }

  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void {
    this.#breaker.catchUp();
  }

  /** Resolves when the work ends, or when no request is pending and none will be made before `until` (in ms since 1970). */
  async whileUseful(work: Promise<void>, until: number): Promise<void> {
    this.catchUp();
    const over = new AbortController();
    const end = () => over.abort();
    void work.then(end, end);
    if (!this.#isStalled(until)) await this.#waitingRoom.wait(0, over.signal, until);
  }

  /** Cancels the timer for good. Requests that wait then wait until their signal aborts. */
  stop(): void {
    this.#breaker.stop();
  }

  /** How long until a request may be made, in milliseconds; Infinity if that is not known. */
  #waitMs(isRetry: boolean): number {
    // The breaker spaces the probes, so no other limit applies.
    if (this.#breaker.state === 'half-open' && !this.#breaker.isProbing) return 0;
    if (this.#breaker.state !== 'closed') return Number.POSITIVE_INFINITY;
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
    if (era !== this.#breaker.era) return false;
    const isEnough = this.#recent.failed();
    return this.#breaker.state !== 'closed' || isEnough;
  }

  #open(delayMs: number): void {
    this.#recent.restart();
    this.#breaker.open(delayMs);
  }

  #wake(): void {
    this.#waitingRoom.wake((until) => this.#isStalled(until));
  }
}
