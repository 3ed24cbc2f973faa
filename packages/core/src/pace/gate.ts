import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { HINTS } from '../tell/hints.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState, Pause } from '../tell/stats.ts';
import type { Concurrency, RateLimit } from './limits.ts';
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
  /** Whether probes must wait, for example because the app is in the background. When this turns false, call `catchUp()`. */
  readonly rests?: (() => boolean) | undefined;
  /** Called when a request may be made again, or the breaker changed its state: the sender may have work now. */
  readonly onChange: (state?: BreakerState) => void;
  /** The service is back after an outage or a pause. */
  readonly onBack: () => void;
}

/** Decides when a request may be made. The breaker stops requests while the service cannot or does not want to answer them. */
export interface Gate {
  readonly state: BreakerState;
  /** Why only a probe is made from time to time, and when the next one is; undefined if the breaker is closed. */
  readonly pause: Pause | undefined;
  readonly isBusy: boolean;
  /** How many requests may be made at the same time. */
  readonly limit: number;
  /** Whether a request may be made now. If not, `onChange` is called when that may have changed. */
  readonly mayStart: boolean;
  /** Earlier processes ended before they saw an answer: no request is made before this time, in milliseconds since 1970. */
  pauseUntil(until: number, failures: number): void;
  /** Counts a new request and returns its pass. */
  start(): Pass;
  end(pass: Pass): void;
  accepted(pass: Pass): void;
  /** Whether nobody said since the request was made that the reason for failures may be gone. */
  isCurrent(pass: Pass): boolean;
  /** The service pushed back. Returns whether the rate limit deals with that. */
  pushedBack(pass: Pass, isAlive: boolean, askedMs?: number): boolean;
  /** The service asks us to wait. */
  asked(retryAfterMs: number, pick: Pick<Why, 'status' | 'words'>): void;
  /** One request at a time finds out whether the service works. After so many failures the breaker opens. */
  doubt(patience?: number): void;
  /** A request failed while the breaker was not closed. Returns whether it opens now. */
  failed(pass: Pass, why: Why): boolean;
  /** Opens the breaker. Each time in a row it stays open for longer, up to a limit. */
  hold(why: Why): void;
  /**
   * The network may be back: sends a probe now, at most once in `HINT_MS`, if the network may be why requests fail. Returns
   * whether it does.
   */
  hint(): boolean;
  /** The reason for the failures may be gone, for example by a new key: sends a probe now. */
  resume(): void;
  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void;
  /** Cancels the timers for good. */
  stop(): void;
}

export function createGate(options: GateOptions): Gate {
  const { backoff, clock, concurrency, onBack, onChange, random, rate, reporter, rests } = options;
  /** Circuit breaker. `closed`: requests may be made. `open`: no request for a time. `half-open`: one at a time, the probe. */
  let state: BreakerState = 'closed';
  /** The request that tests the service. */
  let probe: Pass | undefined;
  /** How many probes may fail before the breaker opens. */
  let patience = 1;
  let era = 0;
  /** How often the breaker opened in a row. */
  let opened = 0;
  const alarm = new Alarm(clock, () => {
    if (!rests?.()) tryNow();
  });
  /** Rings when the rate limit allows a request, or when one under way takes so long that it no longer counts. */
  const rated = new Alarm(clock, () => onChange());
  let hintedAt = Number.NEGATIVE_INFINITY;
  let pause: Pause | undefined;
  /** The requests under way, the oldest first. */
  const underWay = new Set<Pass>();

  function hold(why: Why): void {
    const isOutage = why.reason === 'unavailable';
    // Each probe is another event: if many in a row are wrong indeed, they must not hold up the others for long.
    const pauses = why.reason === 'refused' ? 0 : opened;
    const delayMs = isOutage ? probeMs(opened + FAILURES, backoff, random) : pauseMs(pauses, random);
    open(delayMs, why);
  }

  function rateWaitMs(): number {
    return rate?.waitMs(clock.now()) ?? 0;
  }

  /** Opens the breaker for `delayMs` milliseconds, or for the remaining time if that is longer. Then it becomes half-open. */
  function open(delayMs: number, { reason, status, words }: Why): void {
    const now = clock.now();
    const longestMs = Math.max(delayMs, (alarm.until ?? 0) - now);
    opened += 1;
    alarm.cancel();
    alarm.set(longestMs);
    const { since = now } = pause ?? {};
    pause = { reason, status, words, since, until: now + longestMs, hint: HINTS[reason] };
    enter('open');
    reporter.emit('paused', pause);
  }

  /** If not closed, becomes half-open now. */
  function tryNow(): void {
    if (alarm.isStopped) return;
    alarm.cancel();
    patience = 1;
    if (state !== 'closed') enter('half-open');
  }

  function enter(next: BreakerState): void {
    const isChange = next !== state;
    state = next;
    probe = undefined;
    if (!isChange) return;
    reporter.emit('breaker', { state });
    onChange(state);
  }

  return {
    get state() {
      return state;
    },
    get pause() {
      return pause && { ...pause, until: alarm.until ?? pause.until };
    },
    get isBusy() {
      return underWay.size > 0;
    },
    get limit() {
      return concurrency.limit;
    },
    get mayStart() {
      if (state !== 'closed') return state === 'half-open' && !probe;
      const waitMs = Math.max(rateWaitMs(), concurrency.waitMs(underWay, clock.now()));
      if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) rated.set(waitMs);
      return waitMs === 0;
    },
    pauseUntil(until, failures) {
      opened = Math.max(opened, failures);
      open(until - clock.now(), { reason: 'unavailable', status: 0, words: '' });
    },
    start() {
      const pass: Pass = { at: clock.now(), era };
      rate?.take(pass.at);
      underWay.add(pass);
      if (state === 'half-open') probe ??= pass;
      return pass;
    },
    end(pass) {
      underWay.delete(pass);
      if (pass === probe) probe = undefined;
    },
    accepted(pass) {
      const now = clock.now();
      concurrency.accepted?.(now - pass.at, now);
      rate?.accepted(now);
      // What was sent before the breaker opened says nothing about the service now.
      if (state === 'open' || (opened > 0 && pass !== probe)) return;
      if (state !== 'closed') {
        if (opened > 0) {
          concurrency.restart?.();
          // Refusals during an outage say nothing about the rate that the service can take.
          if (pause?.reason === 'unavailable') rate?.forget();
          onBack();
        }
        opened = 0;
        enter('closed');
      }
      if (!pause) return;
      pause = undefined;
      reporter.emit('resumed', {});
    },
    isCurrent: (pass) => pass.era === era,
    pushedBack({ at }, isAlive, askedMs) {
      return rate?.pushedBack(at, clock.now(), isAlive, askedMs) === true && state === 'closed';
    },
    asked(retryAfterMs, { status, words }) {
      // Every client gets the same Retry-After, so that alone does not reduce the load: the rate limit applies too.
      const delayMs = Math.max(askedMs(retryAfterMs, random), rateWaitMs());
      open(delayMs, { reason: 'asked', status, words });
    },
    doubt(most = 1) {
      if (state !== 'closed') return;
      patience = most;
      enter('half-open');
    },
    failed(pass, why) {
      if (state !== 'half-open' || pass !== probe) return false;
      patience -= 1;
      if (patience <= 0) hold(why);
      return patience <= 0;
    },
    hold,
    hint() {
      const now = clock.now();
      const reason = pause?.reason;
      const mayHelp = reason && /^(blocked|intercepted|wrong-address|unavailable)$/.test(reason);
      if (!mayHelp || state !== 'open' || rests?.() || Math.abs(now - hintedAt) < HINT_MS) return false;
      hintedAt = now;
      tryNow();
      return true;
    },
    resume() {
      era += 1;
      opened = Math.min(1, opened);
      tryNow();
    },
    catchUp() {
      if (state === 'open' && clock.now() >= (alarm.until ?? 0)) tryNow();
    },
    stop() {
      alarm.stop();
      rated.stop();
    },
  };
}
