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

/** A network that comes and goes gives many hints. */
const HINT_MS = 60_000;

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

/**
 * Says when a request may be made, and learns from what becomes of it: a breaker keeps requests from a service that does not
 * want or cannot answer them; beside it a rate, a budget of retries, and a slow start after an outage.
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
  /** Requests at the same time, for now: after an outage one, and one more with each success. */
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
    return this.#breaker.openUntil;
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
    return this.#recent.areClean ? 0 : this.#budget.waitMs(this.#options.clock.now());
  }

  /** How many batches are worth being taken: where requests have to wait, a batch that waits with them is not fresh for long. */
  get mostTaken(): number {
    return Math.ceil(this.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a request that cannot wait may be made. */
  get isFree(): boolean {
    return this.#breaker.state === 'closed' && this.#rateLimit.waitMs(this.#options.clock.now()) === 0;
  }

  /** What others that share the journal are to know. */
  get sharedPause(): SharedPause | undefined {
    const until = this.openUntil;
    if (until === undefined) return undefined;
    // 0: we are at fault, or somebody in between. A page that opens may find that mended.
    const mayBeMended = this.#pause && this.#pause.reason !== 'refused';
    return { until, failures: mayBeMended ? 0 : this.#recent.failuresInARow || 1 };
  }

  /** Others that share the journal found that the service is to be left alone. */
  share({ until, failures }: SharedPause): void {
    const leftMs = until - this.#options.clock.now();
    // Longer than anybody waits: the clock was set back.
    if (leftMs <= 0 || leftMs > LONGEST_WAIT_MS) return;
    this.#recent.failuresInARow = Math.max(this.#recent.failuresInARow, failures);
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
        if (isRetry && this.#breaker.state === 'closed') this.#budget.take();
        return this.start();
      }
      if (waitMs === Number.POSITIVE_INFINITY) await this.#waitingRoom.wait(events, signal);
      else await (isRetry ? this.park(waitMs, signal) : sleep(clock, waitMs, signal));
    }
    return undefined;
  }

  /** A request is made. */
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
    return era === this.#breaker.era;
  }

  /** The service works, whatever it says of the events that it was sent. */
  answered(pass: Pass): void {
    // An answer to what was sent before the breaker opened does not cut its time short.
    if (!this.isCurrent(pass)) return;
    // A service that was away says nothing of how much it bears.
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
    const isBroken = (!isRated || this.#breaker.state !== 'closed') && this.#isTooMuch(era);
    if (retryAfterMs !== undefined) {
      // It tells all clients the same, each time: that alone does not make them fewer.
      this.#open(Math.max(askedMs(retryAfterMs, random), rateLimit.waitMs(clock.now())));
    } else if (isBroken) {
      this.#isBroken = true;
      this.#open(probeMs(this.#recent.failuresInARow, backoff, random));
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
    if (!mayHelp || this.#breaker.state !== 'open' || rests?.() || Math.abs(now - this.#hintedAt) < HINT_MS)
      return;
    this.#hintedAt = now;
    this.#breaker.tryNow();
  }

  /** The network may be gone: one request says whether it is, as the last of those that open the breaker. */
  doubt(): void {
    if (this.#breaker.state !== 'closed') return;
    this.#recent.doubt();
    this.#breaker.enter('half-open');
  }

  /** What the service was refused for is mended: it is asked now. */
  resume(): void {
    this.#pauses = 0;
    this.#breaker.tryNow();
  }

  /** Timers stand still while a function is frozen or a machine sleeps; the time of day goes on. */
  catchUp(): void {
    this.#breaker.catchUp();
  }

  /** Resolves with the work, or as soon as nothing can become of any event before `until`, in milliseconds since 1970. */
  async whileUseful(work: Promise<void>, until: number): Promise<void> {
    this.catchUp();
    const over = new AbortController();
    const end = () => over.abort();
    void work.then(end, end);
    if (!this.#isStalled(until)) await this.#waitingRoom.wait(0, over.signal, until);
  }

  /** Cancels the timer, for good: whatever waits does so until its signal aborts. */
  stop(): void {
    this.#breaker.stop();
  }

  /** How long until a request may be made, in milliseconds; infinite where that is not known. */
  #waitMs(isRetry: boolean): number {
    // A probe is spaced already.
    if (this.#breaker.state === 'half-open' && !this.#breaker.isProbing) return 0;
    if (this.#breaker.state !== 'closed') return Number.POSITIVE_INFINITY;
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
