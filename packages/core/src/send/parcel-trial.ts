import type { Why } from '../pace/breaker.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Trial } from './trial.ts';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly status: number;
  /** The start of the service's answer. */
  readonly excerpt: string;
}

/** A parcel that was halved. */
interface Pair {
  readonly count: number;
  /** Whether one of the halves was accepted. */
  isAccepted: boolean;
}

/** One parcel that is sent. */
export class ParcelTrial implements Trial {
  readonly parcel: Parcel;
  readonly whole: Trial['whole'];
  readonly denied: AbortSignal;
  at = 0;
  sent = 0;
  failures = 0;
  refusals = 0;
  proofs: number;
  /** How often the service wanted fewer requests, though others were accepted between. A piece has those of the whole. */
  pushes: number;
  /** How often the service wanted fewer requests as an answer to exactly this one. */
  pushed = 0;
  seen: number;
  why: Why | undefined;
  isSuspect = false;
  isAlone = false;
  /** What it is a half of. */
  pair: Pair | undefined;
  /** The other half, which goes first. */
  after: ParcelTrial | undefined;
  /** Whether it waits until that one is over, and not only for an answer: both have events of one customer. */
  isInOrder = false;
  /** What it was halved to. */
  pieces: readonly ParcelTrial[] | undefined;
  /** It is at fault, but could not be stored as a dead letter yet. */
  letter: Refusal | undefined;

  /** @param from What it is a piece of, if that was pushed back, or failed: then that is the first proof. */
  constructor(parcel: Parcel, denied: AbortSignal, from?: ParcelTrial) {
    this.parcel = parcel;
    this.denied = denied;
    this.whole = from?.whole ?? { isAccepted: false };
    this.proofs = Math.min(1, from?.proofs ?? 0);
    this.pushes = from?.pushes ?? 0;
    this.seen = from?.seen ?? 0;
  }

  get parcels(): readonly [Parcel] {
    return [this.parcel];
  }

  /** Whether later events need not wait for it. */
  get isOver(): boolean {
    if (this.isAlone) return true;
    return this.pieces ? this.pieces.every(({ isOver }) => isOver) : this.parcel.isEnded;
  }

  /** Whether it waits for the other half. If that is accepted, the event at fault is in this one, which is halved unsent. */
  get isBlocked(): boolean {
    const { after, isInOrder } = this;
    return after !== undefined && !after.isOver && (isInOrder || !(after.why || after.pieces));
  }
}
