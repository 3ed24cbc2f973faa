import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { HINTS } from '../tell/console-log.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState, Pause } from '../tell/stats.ts';
import { askedMs, pauseMs, probeMs } from './wait-times.ts';

/** Why requests fail. */
export type Why = Pick<Pause, 'reason' | 'status' | 'words'>;
/** A pause as pages and processes share it. With 0 failures, new ones wait too: the service asked for it, or refuses everything. */
export type SharedPause = [until: number, failures: number, forMs: number];

/** Hints count at most once in this time: an unstable network gives many. */
const HINT_MS = 60_000;
/** The first pause is as long as the wait after this many failures. */
const FAILURES = 2;
const MAY_HELP = /^(blocked|intercepted|wrong-address|unavailable)$/;

/** Stops requests while the service cannot or does not want to answer them. */
export interface Breaker {
  readonly state: BreakerState;
  /** Why only a probe is made from time to time, and when the next one is; undefined if the breaker is closed. */
  readonly pause: Pause | undefined;
  /** Pauses, each time in a row for longer, up to a limit. Then a probe is sent. */
  hold(why: Why): void;
  /** The service asked for a pause. @param leastMs It is no shorter. */
  asked(retryAfterMs: number, why: Omit<Why, 'reason'>, leastMs?: number): void;
  /** Requests are made one at a time until one is accepted. @param most After this many failures, the breaker pauses. */
  doubt(most: number): void;
  failed(why: Why): void;
  /** What other pages and processes are told. */
  readonly shared: SharedPause | undefined;
  /** Others pause. @param isFirst This page was opened just now, which is worth a try. */
  share(pause: Readonly<SharedPause>, isFirst: boolean): void;
  /** Returns whether a pause is over. */
  accepted(): boolean;
  /** The network or the page is back: worth a try, but not too often. Returns whether there is one. */
  hint(): boolean;
  /** The reason for the failures may be gone, for example by a new key: sends a probe now. */
  resume(): void;
  /** If not closed, sends a probe now. */
  tryNow(): void;
  stop(): void;
}

/**
 * Closed: requests may be made. Open: none for a time. Half-open: one at a time, the probe, until it was accepted.
 *
 * @param rests Whether probes must wait, for example because nobody sees the page. When this turns false, call `hint()`.
 */
export function createBreaker(
  clock: Clock,
  random: () => number,
  backoff: Backoff,
  reporter: Pick<Reporter, 'emit'>,
  rests: () => boolean,
  onChange: (state?: BreakerState) => void,
): Breaker {
  let state: BreakerState = 'closed';
  let pause: Pause | undefined;
  /** Pauses in a row. */
  let opened = 0;
  /** Failures of probes until the next pause. */
  let patience = 1;
  let hintedAt = Number.NEGATIVE_INFINITY;
  const alarm = new Alarm(clock, () => {
    if (!rests()) tryNow();
  });

  function enter(next: BreakerState): void {
    if (next === state) return;
    state = next;
    reporter.emit('breaker', { state });
    onChange(state);
  }

  function tryNow(): void {
    alarm.cancel();
    patience = 1;
    if (state !== 'closed' && !alarm.isStopped) enter('half-open');
  }

  /** Pauses for `delayMs` milliseconds, or for the remaining time if that is longer. */
  function open(delayMs: number, { reason, status, words }: Why): void {
    const now = clock.now();
    const longestMs = Math.max(delayMs, (alarm.until ?? 0) - now);
    if (state !== 'open') opened += 1;
    alarm.cancel();
    alarm.set(longestMs);
    const since = pause?.since ?? now;
    pause = { reason, status, words, since, until: now + longestMs, hint: HINTS[reason] };
    enter('open');
    reporter.emit('paused', pause);
  }

  function hold(why: Why): void {
    const { reason } = why;
    // Each probe is another event: many wrong events in a row must not delay the others for long.
    const pauses = reason === 'refused' ? 0 : opened;
    const isOutage = reason === 'unavailable';
    open(isOutage ? probeMs(opened + FAILURES, backoff, random) : pauseMs(pauses, random), why);
  }

  return {
    get state() {
      return state;
    },
    get pause() {
      return pause && { ...pause, until: alarm.until ?? pause.until };
    },
    get shared(): SharedPause | undefined {
      const { until } = alarm;
      if (until === undefined) return undefined;
      const isForAll = pause?.reason === 'asked' || pause?.reason === 'refused';
      return [until, isForAll ? 0 : opened, until - clock.now()];
    },
    share([until, failures], isFirst) {
      const now = clock.now();
      if (until <= Math.max(now, alarm.until ?? 0)) return;
      opened = Math.max(opened, failures - 1);
      open(until - now, { reason: failures > 0 ? 'unavailable' : 'asked', status: 0, words: '' });
      if (isFirst && failures > 0) tryNow();
    },
    hold,
    asked(retryAfterMs, why, leastMs = 0) {
      // Every client gets the same Retry-After, which alone does not reduce the load: a rate limit applies too.
      open(Math.max(askedMs(retryAfterMs, random), leastMs), { ...why, reason: 'asked' });
    },
    doubt(most: number): void {
      if (state !== 'closed') return;
      patience = most;
      enter('half-open');
    },
    failed(why: Why): void {
      patience -= 1;
      if (patience <= 0 && state === 'half-open') hold(why);
    },
    accepted(): boolean {
      if (state === 'open') return false;
      const isBack = opened > 0;
      opened = 0;
      enter('closed');
      if (pause) reporter.emit('resumed', {});
      pause = undefined;
      return isBack;
    },
    hint(): boolean {
      const now = clock.now();
      const mayHelp = MAY_HELP.test(`${pause?.reason}`) && Math.abs(now - hintedAt) >= HINT_MS;
      if (state !== 'open' || rests() || !(mayHelp || now >= (alarm.until ?? 0))) return false;
      hintedAt = now;
      tryNow();
      return true;
    },
    resume(): void {
      opened = Math.min(1, opened);
      tryNow();
    },
    tryNow,
    stop: () => alarm.stop(),
  };
}
