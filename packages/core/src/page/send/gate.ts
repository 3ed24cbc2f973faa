import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { askedMs, pauseMs, probeMs } from '../../pace/wait-times.ts';
import { HINTS } from '../../tell/hints.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { BreakerState, Pause } from '../../tell/stats.ts';
import type { PauseKey } from '../keep/parcel.ts';
import { isHidden } from '../store/origin.ts';

type Why = Pick<Pause, 'reason' | 'status' | 'words'>;
/** As pages share a pause. */
export type SharedPause = PauseKey;

const HINT_MS = 60_000;
const MAY_HELP = /^(blocked|intercepted|wrong-address|unavailable)$/;

export interface Gate {
  readonly state: BreakerState;
  readonly pause: Pause | undefined;
  /** Pauses: a probe is sent later. */
  hold(why: Why): void;
  /** The service asked for a pause. `leastMs`: it is no shorter. */
  asked(retryAfterMs: number, why: Omit<Why, 'reason'>, leastMs?: number): void;
  /** Requests are made one at a time until one is accepted; `most` may fail. */
  doubt(most: number): void;
  probeFailed(why: Why): void;
  /** As other pages are told of it. */
  readonly shared: SharedPause | undefined;
  /** Another page pauses. `isFirst`: this page was opened just now, which is worth a try. */
  share(pause: SharedPause, isFirst: boolean): void;
  /** Returns whether a pause is over. */
  accepted(): boolean;
  /** The network or the page is back: worth a try, but not too often. Returns whether there is one. */
  hint(): boolean;
  resume(): void;
  stop(): void;
}

/** May a request be made now? Open: none until a time. Half-open: one at a time, until it was accepted. */
export function createGate(
  clock: Clock,
  random: () => number,
  backoff: Backoff,
  reporter: Reporter,
  onChange: (state?: BreakerState) => void,
): Gate {
  let state: BreakerState = 'closed';
  let pause: Pause | undefined;
  /** Pauses in a row. */
  let opened = 0;
  /** Failures of probes until the next pause. */
  let patience = 1;
  let hintedAt = Number.NEGATIVE_INFINITY;
  const alarm = new Alarm(clock, () => {
    if (!isHidden()) tryNow();
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

  function open(delayMs: number, why: Why): void {
    const now = clock.now();
    const longestMs = Math.max(delayMs, (alarm.until ?? 0) - now);
    opened += 1;
    alarm.cancel();
    alarm.set(longestMs);
    pause = { ...why, since: pause?.since ?? now, until: now + longestMs, hint: HINTS[why.reason] };
    enter('open');
    reporter.emit('paused', pause);
  }

  function hold({ reason, status, words }: Why): void {
    const isOutage = reason === 'unavailable';
    const delayMs = isOutage
      ? probeMs(opened + 2, backoff, random)
      : pauseMs(reason === 'refused' ? 0 : opened, random);
    open(delayMs, { reason, status, words });
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
    asked(retryAfterMs, { status, words }, leastMs = 0) {
      open(Math.max(askedMs(retryAfterMs, random), leastMs), { reason: 'asked', status, words });
    },
    doubt(most: number): void {
      if (state !== 'closed') return;
      patience = most;
      enter('half-open');
    },
    probeFailed(why: Why): void {
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
      if (state !== 'open' || isHidden()) return false;
      const isLate = now >= (alarm.until ?? 0);
      if (!isLate && !(MAY_HELP.test(`${pause?.reason}`) && Math.abs(now - hintedAt) >= HINT_MS))
        return false;
      hintedAt = now;
      tryNow();
      return true;
    },
    resume(): void {
      opened = Math.min(1, opened);
      tryNow();
    },
    stop: () => alarm.stop(),
  };
}
