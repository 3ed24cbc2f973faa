import type { Blame } from './blame.ts';
import type { Limits } from './limits.ts';
import type { ParcelTrial } from './parcel-trial.ts';

/** About the last 200 requests count. */
const KEPT = 0.995;
/** Chance does not explain what is less probable than this. */
const RARE = 1e-3;
/** An event is at fault from this many push-backs on; from the first one, if the last ones were the fault of events. */
const LEAST = 3;
/** If less than this share of requests is pushed back, that is rare. */
const SHARE = 0.25;

/** Tells whether a service that wants fewer requests means all, or answers so to one event whatever happens. */
export interface PushBacks {
  /** Whether few requests are pushed back: the fault may be that of an event. Otherwise it is the rate, or an outage. */
  readonly areRare: boolean;
  accepted(trial: ParcelTrial): void;
  /** It is pushed back. Returns whether only this one is, though others were accepted between: then it slows down nothing else. */
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
  /** The rate before the first push-back of what may be at fault. */
  const rates = new WeakMap<object, number | undefined>();
  return {
    get areRare() {
      return all.value < SHARE;
    },
    accepted({ pushed }) {
      all.add(0, 1);
      chance.add(pushed, 1);
      if (pushed > 0) least = LEAST;
    },
    isOwn(trial) {
      const { whole } = trial;
      trial.pushed += 1;
      if (trial.pushes === 0 || whole.isAccepted || blame.isSince(trial)) trial.pushes += 1;
      if (trial.pushes >= least && chance.value ** trial.pushes < RARE) {
        if (rates.has(whole)) rate?.restore(rates.get(whole));
        rates.delete(whole);
        if (whole.isAccepted) least = 1;
        return true;
      }
      all.add(1, 0);
      if (!rates.has(whole)) rates.set(whole, rate?.perSecond);
      blame.note(trial);
      return false;
    },
  };
}
