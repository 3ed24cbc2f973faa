import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import { probeMs } from '../pace/wait-times.ts';
import type { Rule } from './delivery-policy.ts';
import { countOf, type Trial } from './trial.ts';

const FAILURES_TO_DOUBT = 5;
const LEAST_TO_END = 5;
const LEAST_CRASHES = 3;
const LEAST_REFUSALS = 2;
/** Chance does not explain failures that are less probable than this: refusals of a batch, its crashes, failures of one event. */
const UNLIKELY = 0.011;
const RARE = 1e-3;
const VERY_RARE = 1e-6;
/** If more than this share of requests failed, a refusal proves nothing about the number of events. */
const UNSTEADY = 0.15;
/** About the last 200 requests count. */
const KEPT = 0.995;
const FICKLE_MS = 10 * 60_000;
/** After this many failed probes, the service is to blame. The second is for a service that calls each event wrong. */
const PROBES = 3;
const WRONG_PROBES = 10;
/** The wait after what looks like a wrong key or address. */
const DENIED: Backoff = { baseMs: 1_000, maxMs: 60_000 };
/** The wait of an event that is probably at fault. */
const SUSPECT: Backoff = { baseMs: 60_000, maxMs: 60 * 60_000 };

/**
 * What to do with what failed. `hold`: a pause. `doubt`: something else is tried. `again`, `halve`, `drop`. A single event may be at
 * fault (`suspect`), or is (`end`).
 */
type Verdict = 'hold' | 'doubt' | 'again' | 'halve' | 'drop' | 'suspect' | 'end';

export interface Blame {
  /** Failures in a row without an acceptance. Repeats of one trial that is refused count once. */
  readonly inARow: number;
  /** Whether few requests fail by chance: then one refusal may be about the number of events. */
  readonly isSteady: boolean;
  /** A request for it is made. What is not sent, but accepted, counts as sent then. */
  sent(trial: Trial): void;
  accepted(trial: Trial): void;
  /** Whether anything was accepted that was sent after it last failed. */
  isSince(trial: Trial): boolean;
  /** It failed now, whatever that says. */
  note(trial: Trial): void;
  /**
   * @param isOnly Nothing else may be sent before it ends: nothing tells whether the service is to blame.
   * @param isClosed Whether nothing is in doubt yet.
   */
  failed(trial: Trial, rule: Rule, isOnly: boolean, isClosed: boolean): Verdict;
  /** Whether it is at fault: the whole request failed, and another piece of it was accepted since. */
  isFound(trial: Trial): boolean;
}

/**
 * Who is to blame for a failure: the events, the service, or us? Only an acceptance of others blames the events.
 *
 * @param isStrict With strict order, that it fails again and again is enough.
 * @param isEager Whether a batch that makes the service fail is halved though nothing was accepted since. Not in a page: each outage
 *   would rewrite what it stored.
 */
export function createBlame(clock: Clock, isStrict: boolean, isEager: boolean = false): Blame {
  let failed = 0;
  /** How many requests had failed when the newest of the accepted ones was made: it proves nothing of failures after that. */
  let accepted = -1;
  /** Whether the service accepts anything, as far as is known. */
  let isKnown = false;
  let inARow = 0;
  let fickleAt = Number.NEGATIVE_INFINITY;
  /** Requests for events that were accepted in the end, and those of them that failed. At first, a tenth is taken to fail by chance. */
  let requests = 10;
  let unlucky = 1;
  const isSince = ({ seen }: Trial) => accepted >= seen;
  const isFound = (trial: Trial) =>
    trial.whole.isAccepted && trial.failures > 0 && trial.proofs + Number(isSince(trial)) > 1;
  function note(trial: Trial): void {
    failed += 1;
    trial.seen = failed;
  }
  return {
    get inARow() {
      return inARow;
    },
    get isSteady() {
      return unlucky < requests * UNSTEADY;
    },
    sent(trial) {
      trial.since = failed;
    },
    accepted({ failures, refusals, since = failed, whole, why }) {
      requests = requests * KEPT + failures + 1;
      unlucky = unlucky * KEPT + failures;
      inARow = 0;
      accepted = Math.max(accepted, since);
      isKnown = true;
      whole.isAccepted = true;
      if ((failures > 0 || refusals > 1) && why && why.reason !== 'unavailable') fickleAt = clock.now();
    },
    isSince,
    note,
    failed(trial, { action, endsEvent, isAskedFor }, isOnly, isClosed) {
      const { whole } = trial;
      const isSingle = countOf(trial) < 2;
      const isCrash = action === 'retry';
      const isDenial = action === 'pause';
      const isWrong = action === 'isolate' || action === 'split';
      const isBetween = isSince(trial);
      if (isBetween || trial.proofs === 0) trial.proofs += 1;
      trial.failures += 1;
      note(trial);
      if (!isCrash) trial.refusals += 1;
      const { failures, proofs, refusals } = trial;
      // Failures of the service do not count as refusals.
      const count = isCrash ? failures : refusals;
      const share = unlucky / requests;
      // Once another piece was accepted, or anything between two failures, the fault is in this one.
      const isOwn = whole.isAccepted || proofs > 1;
      if (!isOwn && (isSingle || !isWrong) && (isBetween || failures < 2 || isCrash || isOnly)) inARow += 1;
      if (action === 'drop') return action;
      if (isDenial && (isAskedFor || isStrict || !(isKnown || endsEvent))) return 'hold';
      const most = FAILURES_TO_DOUBT * (isWrong && !isOnly ? 2 : 1);
      if (isClosed && ((inARow >= most && share ** inARow < RARE) || (isDenial && !isKnown))) return 'doubt';
      if (!isSingle) {
        // Where half of the requests fail, the halves would fail too.
        const isEnough = isCrash
          ? failures >= LEAST_CRASHES &&
            share < 0.5 &&
            share ** failures < RARE &&
            (isEager || isOwn || isOnly)
          : (count >= LEAST_REFUSALS && share ** count < UNLIKELY) || action === 'split';
        return isEnough || isFound(trial) ? 'halve' : 'again';
      }
      // Six denials take half a minute.
      const isEnough =
        action === 'split'
          ? count >= LEAST_REFUSALS
          : count >= LEAST_TO_END + Number(isDenial) && share ** count <= VERY_RARE;
      if (!isEnough) return 'again';
      const isProven = isDenial ? proofs >= LEAST_TO_END : isOwn;
      if (!isProven && !(isStrict && isKnown)) return isOnly && (!isStrict || isWrong) ? 'suspect' : 'again';
      if (!endsEvent || Math.abs(clock.now() - fickleAt) < FICKLE_MS) return 'suspect';
      // With strict order, something must be accepted before another one ends.
      if (!isProven) isKnown = false;
      return 'end';
    },
    isFound,
  };
}

/** How many probes may fail until the service is to blame. @param isOnly As for `failed()`. */
export function probesOf({ action }: Rule, isOnly: boolean): number {
  return action === 'pause' || action === 'retry' || isOnly ? PROBES : WRONG_PROBES;
}

/** How long a trial waits until it goes again, in milliseconds. @param isDenial Whether it looks like a wrong key or address. */
export function retryMs(trial: Trial, isDenial: boolean, backoff: Backoff, random: () => number): number {
  const { failures, isAlone, isSuspect, proofs, whole } = trial;
  const times = failures - 1;
  if (isAlone || isDenial) return probeMs(times, isAlone ? SUSPECT : DENIED, () => 1 + random() / 2);
  // It waits for less while others are accepted. In strict order, none are while one event is probably at fault.
  const hasOthers = !isSuspect && (whole.isAccepted || proofs > 1);
  return probeMs(hasOthers ? Math.min(times, 1) : times, backoff, random);
}
