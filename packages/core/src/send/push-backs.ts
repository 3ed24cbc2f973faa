import type { Blame } from './blame.ts';
import type { ParcelTrial } from './parcel-trial.ts';

/** About the last 200 requests count. */
const KEPT = 0.995;
/** Chance does not explain what is less probable than this. */
const RARE = 1e-3;
/** An event is at fault from this many push-backs on. */
const LEAST = 3;
/** If less than this share of requests is pushed back, that is rare. */
const SHARE = 0.25;

/** Tells whether a service that wants fewer requests means all, or answers so to one event whatever happens. */
export interface PushBacks {
  /** Whether few requests are pushed back: the fault may be that of an event. Otherwise it is the rate, or an outage. */
  readonly areRare: boolean;
  accepted(): void;
  /** It is pushed back. Returns whether only this one is, though others were accepted between: then it slows down nothing else. */
  isOwn(trial: ParcelTrial): boolean;
}

export function createPushBacks(blame: Pick<Blame, 'isSince' | 'note'>): PushBacks {
  /** Requests that the service took or pushed back, and the latter. At first, a tenth is taken to be pushed back. */
  let requests = 10;
  let pushed = 1;
  return {
    get areRare() {
      return pushed < requests * SHARE;
    },
    accepted() {
      requests = requests * KEPT + 1;
      pushed *= KEPT;
    },
    isOwn(trial) {
      if (trial.pushes === 0 || trial.whole.isAccepted || blame.isSince(trial)) trial.pushes += 1;
      if (trial.pushes >= LEAST && (pushed / requests) ** trial.pushes < RARE) return true;
      requests = requests * KEPT + 1;
      pushed = pushed * KEPT + 1;
      blame.note(trial);
      return false;
    },
  };
}
