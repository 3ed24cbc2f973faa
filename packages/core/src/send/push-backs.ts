import type { Blame } from './blame.ts';
import type { Limits } from './limits.ts';
import type { ParcelTrial } from './parcel-trial.ts';

/** About the last 200 requests count. */
const KEPT = 0.995;
/** Chance does not explain what is less probable than this. */
const RARE = 1e-3;
/** An event is at fault from this many push-backs on; from the first one, if the last ones were the fault of events. */
const LEAST = 3;
/** After this many push-backs without an acceptance, the service may want fewer requests, whatever was found before. */
const MANY = 10;
/** What is not found to be at fault within so many acceptances is not. */
const LONG = 100;
/** If less than this share of requests is pushed back, that is rare. */
const SHARE = 0.25;

/** Tells whether a service that wants fewer requests means all, or answers so to one event whatever happens. */
interface PushBacks {
  /**
   * How many of what failed most often may be at fault: one if few requests are pushed back, and all if the last ones were the fault
   * of events. Otherwise it is the rate, or an outage.
   */
  readonly mayBeAtFault: number;
  accepted(trial: ParcelTrial): void;
  /**
   * It is pushed back. Returns whether the fault is its own, because others are accepted between, or other events were found to be
   * at fault in this way: then it slows down nothing else.
   */
  isOwn(trial: ParcelTrial): boolean;
}

/** Of the last requests, those that were pushed back. At first, a tenth. */
class Share {
  #all = 10;
  #pushed = 1;

  get value(): number {
    return this.#pushed / this.#all;
  }

  add(pushed: number, accepted: number): void {
    this.#all = this.#all * KEPT + pushed + accepted;
    this.#pushed = this.#pushed * KEPT + pushed;
  }
}

export function createPushBacks(blame: Pick<Blame, 'isSince' | 'note'>, rate: Limits['rate']): PushBacks {
  const all = new Share();
  /** Of requests for what was accepted in the end: events at fault do not make the service look busy. */
  const chance = new Share();
  let least = LEAST;
  /** Push-backs since the last acceptance. */
  let inARow = 0;
  /** The rate before the first push-back of what may be at fault, in requests per second, and how much was accepted since. */
  let before: number | undefined;
  let since = 0;
  return {
    get mayBeAtFault() {
      return least < LEAST ? Number.POSITIVE_INFINITY : Number(all.value < SHARE);
    },
    accepted({ pushed }) {
      all.add(0, 1);
      chance.add(pushed, 1);
      inARow = 0;
      since += 1;
      if (pushed > 0) least = LEAST;
      // The service meant the rate.
      if (pushed > 0 || since > LONG) before = undefined;
    },
    isOwn(trial) {
      const { whole } = trial;
      const isOne = inARow < MANY;
      inARow += 1;
      trial.pushed += 1;
      if (trial.pushes === 0 || blame.isSince(trial)) trial.pushes += 1;
      if (trial.pushes >= (isOne ? least : LEAST) && chance.value ** trial.pushes < RARE) {
        if (before) rate?.restore(before);
        before = undefined;
        // A pause forgets failures, and each of these may have caused one.
        trial.failures = Math.max(trial.failures, Math.min(trial.pushed, trial.pushes) - 1);
        if (whole.isAccepted) least = 1;
        return true;
      }
      all.add(1, 0);
      if (!before) since = 0;
      before ??= rate?.perSecond ?? Number.POSITIVE_INFINITY;
      blame.note(trial);
      return false;
    },
  };
}
