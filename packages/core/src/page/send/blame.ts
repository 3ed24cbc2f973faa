import type { Clock } from '@sluice/protocol/toolbox';
import type { Rule } from '../../send/delivery-policy.ts';
import { type Batch, countOf } from './batch.ts';

const FAILURES_TO_DOUBT = 5;
const LEAST_TO_END = 5;
const LEAST_CRASHES = 4;
const LEAST_REFUSALS = 2;
/** About so many requests count. */
const WINDOW = 32;
const FICKLE_MS = 10 * 60_000;

/**
 * What to do with a batch that failed. `hold`: a pause. `doubt`: something else is tried. `again`, `halve`, `drop`. A single event
 * may be at fault (`suspect`), or is (`end`).
 */
type Verdict = 'hold' | 'doubt' | 'again' | 'halve' | 'drop' | 'suspect' | 'end';

export interface Blame {
  /** Failures in a row without an acceptance. Repeats of one batch that is refused count once. */
  readonly inARow: number;
  accepted(batch: Batch): void;
  /**
   * @param isOnly Nothing else may be sent before it ends: nothing tells whether the service is to blame.
   * @param isClosed Whether nothing is in doubt yet.
   */
  failed(batch: Batch, rule: Rule, isOnly: boolean, isClosed: boolean): Verdict;
  /** Whether it is at fault, since another piece of the same request was accepted after that had failed. */
  isFound(batch: Batch): boolean;
}

/**
 * Who is to blame for a failure: the events, the service, or us? Only an acceptance of others blames the events.
 *
 * @param isStrict With strict order, that it fails again and again is enough.
 */
export function createBlame(clock: Clock, isStrict: boolean): Blame {
  let accepted = 0;
  /** Whether the service accepts anything, as far as is known. */
  let isKnown = false;
  let inARow = 0;
  let fickleUntil = 0;
  /** The share of the requests that failed. */
  let share = 0;
  const isFound = ({ failures, proofs, seen, whole }: Batch) =>
    whole.isAccepted && failures > 0 && proofs + Number(accepted !== seen) > 1;
  return {
    get inARow() {
      return inARow;
    },
    accepted({ whole, why }) {
      share -= share / WINDOW;
      inARow = 0;
      accepted += 1;
      isKnown = true;
      whole.isAccepted = true;
      if (why?.reason === 'refused') fickleUntil = clock.now() + FICKLE_MS;
    },
    failed(batch, { action, endsEvent, isAskedFor }, isOnly, isClosed) {
      const { seen, whole } = batch;
      const isSingle = countOf(batch) < 2;
      const isCrash = action === 'retry';
      const isDenial = action === 'pause';
      const isWrong = action === 'isolate' || action === 'split';
      const isBetween = accepted !== seen;
      const isRepeat = batch.failures > 0 && !isBetween;
      if (isBetween || batch.proofs === 0) batch.proofs += 1;
      batch.failures += 1;
      batch.seen = accepted;
      share += (1 - share) / WINDOW;
      const { failures, proofs } = batch;
      // Pieces, and what fails again though others are accepted, are to blame themselves.
      const isOurs = !whole.isAccepted && proofs < 2 && (isSingle || !isWrong);
      if (isOurs && (isCrash || isOnly || !isRepeat)) inARow += 1;
      if (action === 'drop') return action;
      if (isDenial && (isAskedFor || isStrict || !(isKnown || endsEvent))) return 'hold';
      const most = FAILURES_TO_DOUBT * (isWrong && !isOnly ? 2 : 1);
      if (isClosed && (inARow >= most || (isDenial && !isKnown))) return 'doubt';
      if (!isSingle) {
        // Where half of the requests fail, the halves would fail too.
        const isEnough = isCrash
          ? failures >= LEAST_CRASHES && share < 0.5 && (proofs > 1 || isOnly)
          : failures >= LEAST_REFUSALS || action === 'split';
        return isEnough || isFound(batch) ? 'halve' : 'again';
      }
      // Six denials take half a minute.
      const least = action === 'split' ? LEAST_REFUSALS : LEAST_TO_END + Number(isDenial);
      if (failures < least) return 'again';
      const isProven = isDenial ? proofs >= LEAST_TO_END : whole.isAccepted || proofs > 1;
      if (!isProven && !(isStrict && isKnown)) return isOnly && !isStrict ? 'suspect' : 'again';
      if (!endsEvent || clock.now() < fickleUntil) return 'suspect';
      whole.isAccepted = true;
      // With order, something must be accepted before another one ends.
      if (isOnly) isKnown = false;
      return 'end';
    },
    isFound,
  };
}
