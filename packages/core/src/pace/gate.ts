import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { BreakerState } from '../tell/stats.ts';
import { type Breaker, createBreaker, type Why } from './breaker.ts';
import type { Concurrency, RateLimit } from './limits.ts';

/** The right to make one request. */
export interface Pass {
  /** When the request was made. */
  readonly at: number;
  /** How often somebody had said by then that the reason for failures may be gone, for example by a new key. */
  readonly era: number;
}

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

/** Decides when a request may be made, by the breaker, the rate limit, and how many requests are under way. */
export interface Gate
  extends Pick<Breaker, 'state' | 'pause' | 'hold' | 'doubt' | 'hint' | 'share' | 'resume' | 'stop'> {
  readonly isBusy: boolean;
  /** How many requests may be made at the same time. */
  readonly limit: number;
  /** Whether a request may be made now. If not, `onChange` is called when that may have changed. */
  readonly mayStart: boolean;
  /** Counts a new request and returns its pass. */
  start(): Pass;
  end(pass: Pass): void;
  accepted(pass: Pass): void;
  /** Whether nobody said since the request was made that the reason for failures may be gone. */
  isCurrent(pass: Pass): boolean;
  /** The service pushed back. Returns whether the rate limit deals with that. */
  pushedBack(pass: Pass, isAlive: boolean, askedMs?: number): boolean;
  /** The service asks us to wait. */
  asked(retryAfterMs: number, why: Pick<Why, 'status' | 'words'>): void;
  /** A request failed while the breaker was not closed. Returns whether it opens now. */
  failed(pass: Pass, why: Why): boolean;
  /** Ends the open state if its time is over. Timers stop while a function is frozen or a machine sleeps; the clock goes on. */
  catchUp(): void;
}

export function createGate(options: GateOptions): Gate {
  const { backoff, clock, concurrency, onBack, onChange, random, rate, reporter, rests } = options;
  /** The request that tests the service. */
  let probe: Pass | undefined;
  let era = 0;
  /** Rings when the rate limit allows a request, or when one under way takes so long that it no longer counts. */
  const rated = new Alarm(clock, () => onChange());
  /** The requests under way, the oldest first. */
  const underWay = new Set<Pass>();
  const breaker = createBreaker(
    clock,
    random,
    backoff,
    reporter,
    () => rests?.() ?? false,
    (state) => {
      probe = undefined;
      onChange(state);
    },
  );

  function rateWaitMs(): number {
    return rate?.waitMs(clock.now()) ?? 0;
  }

  return {
    get state() {
      return breaker.state;
    },
    get pause() {
      return breaker.pause;
    },
    get isBusy() {
      return underWay.size > 0;
    },
    get limit() {
      return concurrency.limit;
    },
    get mayStart() {
      const { state } = breaker;
      if (state !== 'closed') return state === 'half-open' && !probe;
      const waitMs = Math.max(rateWaitMs(), concurrency.waitMs(underWay, clock.now()));
      if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) rated.set(waitMs);
      return waitMs === 0;
    },
    start() {
      const pass: Pass = { at: clock.now(), era };
      rate?.take(pass.at);
      underWay.add(pass);
      if (breaker.state === 'half-open') probe ??= pass;
      return pass;
    },
    end(pass) {
      underWay.delete(pass);
      if (pass === probe) probe = undefined;
    },
    accepted(pass) {
      const now = clock.now();
      const { pause, state } = breaker;
      concurrency.accepted?.(now - pass.at, now);
      rate?.accepted(now);
      // What was sent before the breaker opened says nothing about the service now.
      if (state === 'open' || (pause && pass !== probe)) return;
      if (pause) {
        concurrency.restart?.();
        // Refusals during an outage say nothing about the rate that the service can take.
        if (pause.reason === 'unavailable') rate?.forget();
        onBack();
      }
      breaker.accepted();
    },
    isCurrent: (pass) => pass.era === era,
    pushedBack({ at }, isAlive, askedMs) {
      return rate?.pushedBack(at, clock.now(), isAlive, askedMs) === true && breaker.state === 'closed';
    },
    asked: (retryAfterMs, why) => breaker.asked(retryAfterMs, why, rateWaitMs()),
    failed(pass, why) {
      if (pass !== probe || breaker.state !== 'half-open') return false;
      breaker.probeFailed(why);
      return breaker.pause !== undefined;
    },
    doubt: breaker.doubt,
    hold: breaker.hold,
    hint: breaker.hint,
    share: breaker.share,
    resume() {
      era += 1;
      probe = undefined;
      breaker.resume();
    },
    catchUp() {
      if (breaker.state === 'open' && clock.now() >= (breaker.pause?.until ?? 0)) breaker.tryNow();
    },
    stop() {
      breaker.stop();
      rated.stop();
    },
  };
}
