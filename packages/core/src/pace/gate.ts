import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { HINTS } from '../tell/hints.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState, Pause } from '../tell/stats.ts';
import type { Concurrency, RateLimit } from './limits.ts';
import type { SharedPause } from './shared-pause.ts';
import { askedMs, pauseMs, probeMs } from './wait-times.ts';

/** The first wait of an open breaker is as long as that of a parcel after so many failures. */
const FAILURES = 2;
/** Hints count at most once in this time: an unstable network gives many. */
const HINT_MS = 60_000;

/** The right to make one request. */
export interface Pass {
  /** When the request was made. */
  readonly at: number;
  /** How often somebody had said by then that the reason for failures may be gone, for example by a new key. */
  readonly era: number;
}

/** Why requests fail. */
export type Why = Pick<Pause, 'reason' | 'status' | 'words'>;

interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly concurrency: Concurrency;
  readonly backoff: Backoff;
  readonly rate?: RateLimit | undefined;
  readonly reporter: Pick<Reporter, 'emit'>;
  /** Whether probes must wait, for example because the page is hidden. When this turns false, call `catchUp()`. */
  readonly rests?: (() => boolean) | undefined;
  /** Called when a request may be made again, or the breaker changed its state: the sender may have work now. */
  readonly onChange: (state?: BreakerState) => void;
  /** The service is back after an outage or a pause. */
  readonly onBack: () => void;
}

/** Decides when a request may be made. The breaker stops requests while the service cannot or does not want to answer them. */
export class Gate {
  readonly #options: GateOptions;
  /** Circuit breaker. `closed`: requests may be made. `open`: no request for a time. `half-open`: one at a time, the probe. */
  #state: BreakerState = 'closed';
  /** The request that tests the service. */
  #probe: Pass | undefined;
  /** How many probes may fail before the breaker opens. */
  #patience = 1;
  #era = 0;
  /** How often the breaker opened in a row. */
  #opened = 0;
  readonly #alarm: Alarm;
  /** Rings when the rate limit allows a request, or when one under way takes so long that it no longer counts. */
  readonly #rated: Alarm;
  #hintedAt = Number.NEGATIVE_INFINITY;
  #pause: Pause | undefined;
  /** The requests under way, the oldest first. */
  readonly #underWay = new Set<Pass>();

  constructor(options: GateOptions) {
    const { clock, onChange, rests } = options;
    this.#options = options;
    this.#rated = new Alarm(clock, () => onChange());
    this.#alarm = new Alarm(clock, () => {
      if (!rests?.()) this.#tryNow();
    });
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Why only a probe is made from time to time, and when the next one is; undefined if the breaker is closed. */
  get pause(): Pause | undefined {
    return this.#pause && { ...this.#pause, until: this.#alarm.until ?? this.#pause.until };
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** How many requests may be made at the same time. */
  get limit(): number {
    return this.#options.concurrency.limit;
  }

  /** Whether a request that cannot wait may be made now. */
  get isFree(): boolean {
    return this.#state === 'closed' && this.#rateWaitMs === 0;
  }

  /** Whether a request may be made now. If not, `onChange` is called when that may have changed. */
  get mayStart(): boolean {
    if (this.#state !== 'closed') return this.#state === 'half-open' && !this.#probe;
    const waitMs = Math.max(this.#rateWaitMs, this.#placeWaitMs);
    if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) this.#rated.set(waitMs);
    return waitMs === 0;
  }

  /** What other tabs that share the journal need to know; undefined if the breaker is not open. */
  get sharedPause(): SharedPause | undefined {
    const { until } = this.#alarm;
    const reason = this.#pause?.reason;
    // Pages that open later wait as well, if the service asked for the time, or refuses everything.
    const isForAll = reason === 'asked' || reason === 'refused';
    return until === undefined ? until : { until, failures: isForAll ? 0 : this.#opened };
  }

  /** Another tab found that the service needs time. A page that was just opened asks at once, unless `failures` is 0. */
  share({ until, failures }: SharedPause, isFirst?: boolean): void {
    const leftMs = until - this.#options.clock.now();
    if (leftMs <= 0) return;
    this.#opened = Math.max(this.#opened, failures);
    this.#open(leftMs, { reason: failures ? 'unavailable' : 'asked', status: 0, words: '' });
    if (isFirst && failures) this.#tryNow();
  }

  /** Counts a new request and returns its pass. */
  start(): Pass {
    const pass: Pass = { at: this.#options.clock.now(), era: this.#era };
    this.#options.rate?.take(pass.at);
    this.#underWay.add(pass);
    if (this.#state === 'half-open') this.#probe ??= pass;
    return pass;
  }

  end(pass: Pass): void {
    this.#underWay.delete(pass);
    if (pass === this.#probe) this.#probe = undefined;
  }

  accepted(pass: Pass): void {
    const { clock, concurrency, onBack, rate, reporter } = this.#options;
    const now = clock.now();
    concurrency.accepted?.(now - pass.at, now);
    rate?.accepted(now);
    // What was sent before the breaker opened says nothing about the service now.
    if (this.#state === 'open' || (this.#opened > 0 && pass !== this.#probe)) return;
    if (this.#state !== 'closed') {
      if (this.#opened > 0) {
        concurrency.restart?.();
        // Refusals during an outage say nothing about the rate that the service can take.
        if (this.#pause?.reason === 'unavailable') rate?.forget();
        onBack();
      }
      this.#opened = 0;
      this.#enter('closed');
    }
    if (!this.#pause) return;
    this.#pause = undefined;
    reporter.emit('resumed', {});
  }

  /** Whether nobody said since the request was made that the reason for failures may be gone. */
  isCurrent({ era }: Pass): boolean {
    return era === this.#era;
  }

  /** The service pushed back. Returns whether the rate limit deals with that. */
  pushedBack({ at }: Pass, isAlive: boolean, askedMs?: number): boolean {
    const { clock, rate } = this.#options;
    return rate?.pushedBack(at, clock.now(), isAlive, askedMs) === true && this.#state === 'closed';
  }

  /** The service asks us to wait. */
  asked(retryAfterMs: number, { status, words }: Pick<Why, 'status' | 'words'>): void {
    // Every client gets the same Retry-After, so that alone does not reduce the load: the rate limit applies too.
    const delayMs = Math.max(askedMs(retryAfterMs, this.#options.random), this.#rateWaitMs);
    this.#open(delayMs, { reason: 'asked', status, words });
  }

  /** One request at a time finds out whether the service works. After so many failures the breaker opens. */
  doubt(patience: number = 1): void {
    if (this.#state !== 'closed') return;
    this.#patience = patience;
    this.#enter('half-open');
  }

  /** A request failed while the breaker was not closed. Returns whether it opens now. */
  failed(pass: Pass, why: Why): boolean {
    if (this.#state !== 'half-open' || pass !== this.#probe) return false;
    this.#patience -= 1;
    if (this.#patience <= 0) this.hold(why);
    return this.#patience <= 0;
  }

  /** Opens the breaker. Each time in a row it stays open for longer, up to a limit. */
  hold(why: Why): void {
    const { backoff, random } = this.#options;
    const isOutage = why.reason === 'unavailable';
    // Each probe is another event: if many in a row are wrong indeed, they must not hold up the others for long.
    const pauses = why.reason === 'refused' ? 0 : this.#opened;
    const delayMs = isOutage ? probeMs(this.#opened + FAILURES, backoff, random) : pauseMs(pauses, random);
    this.#open(delayMs, why);
  }

  /**
   * The network may be back: sends a probe now, at most once in `HINT_MS`, if the network may be why requests fail. Returns
   * whether it does.
   */
  hint(): boolean {
    const { clock, rests } = this.#options;
    const now = clock.now();
    const reason = this.#pause?.reason;
    const mayHelp = reason && /^(blocked|intercepted|wrong-address|unavailable)$/.test(reason);
    if (!mayHelp || this.#state !== 'open' || rests?.() || Math.abs(now - this.#hintedAt) < HINT_MS)
      return false;
    this.#hintedAt = now;
    this.#tryNow();
    return true;
  }

  /** The reason for the failures may be gone, for example by a new key: sends a probe now. */
  resume(): void {
    this.#era += 1;
    this.#opened = Math.min(1, this.#opened);
    this.#tryNow();
  }

  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void {
    if (this.#state === 'open' && this.#options.clock.now() >= (this.#alarm.until ?? 0)) this.#tryNow();
  }

  /** Cancels the timers for good. */
  stop(): void {
    this.#alarm.stop();
    this.#rated.stop();
  }

  /** How long until a request more may be under way, in milliseconds; Infinity if one must end first. */
  get #placeWaitMs(): number {
    const { clock, concurrency } = this.#options;
    return concurrency.waitMs(this.#underWay, clock.now());
  }

  get #rateWaitMs(): number {
    return this.#options.rate?.waitMs(this.#options.clock.now()) ?? 0;
  }

  /** Opens the breaker for `delayMs` milliseconds, or for the remaining time if that is longer. Then it becomes half-open. */
  #open(delayMs: number, { reason, status, words }: Why): void {
    const { clock, reporter } = this.#options;
    const now = clock.now();
    const longestMs = Math.max(delayMs, (this.#alarm.until ?? 0) - now);
    this.#opened += 1;
    this.#alarm.cancel();
    this.#alarm.set(longestMs);
    const { since = now } = this.#pause ?? {};
    this.#pause = { reason, status, words, since, until: now + longestMs, hint: HINTS[reason] };
    this.#enter('open');
    reporter.emit('paused', this.#pause);
  }

  /** If not closed, becomes half-open now. */
  #tryNow(): void {
    if (this.#alarm.isStopped) return;
    this.#alarm.cancel();
    this.#patience = 1;
    if (this.#state !== 'closed') this.#enter('half-open');
  }

  #enter(state: BreakerState): void {
    const isChange = state !== this.#state;
    this.#state = state;
    this.#probe = undefined;
    if (!isChange) return;
    this.#options.reporter.emit('breaker', { state });
    this.#options.onChange(state);
  }
}
