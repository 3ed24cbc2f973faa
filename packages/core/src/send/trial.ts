import type { Parcel } from '../wait/parcel.ts';

/** Events that were first sent together, and what became of the parts in which they are sent now. */
interface Whole {
  /** Number of parts that have not ended. */
  open: number;
  /** Failed requests of all parts. */
  refusals: number;
  crashes: number;
  /** Number of events in the smallest part that was refused, if it had several. */
  least: number;
  /** Whether some of the events were accepted. */
  isAccepted: boolean;
  /** Whether one of them is at fault. */
  isGuilty: boolean;
}

/** The halves of a parcel. */
interface Pair {
  /** Whether the parcel failed neither for its size nor because the service was away. */
  isSure: boolean;
  /** Whether one of them was accepted. Then the event at fault must be in the other. */
  isAccepted: boolean;
  /** Whether the second half waits until the first one ends, and not only for an answer. */
  readonly isInOrder: boolean;
}

/** A parcel that is sent, and what happened to exactly these events so far. */
export class Trial {
  readonly parcel: Parcel;
  /** Number of its events, as long as it is the same parcel: what waits may be cut. */
  readonly count: number;
  /** Aborts when consent to send is denied. */
  readonly denied: AbortSignal;
  readonly whole: Whole;
  readonly pair: Pair | undefined;
  /** The other half, as long as it waits for this one. */
  next: Trial | undefined;
  /** Failed requests, since the service was last away. */
  refusals = 0;
  crashes = 0;
  /** How many failures count on their own: the first one, and each one after something newer was accepted. */
  proofs = 0;
  /** When it failed first, since the service was last away. */
  since = 0;
  /** How often the service had been away by then. */
  outages = -1;
  /** How often it was sent. */
  sent = 0;
  /** The number of its newest request, and of the newest request of all when it failed last. */
  request = 0;
  seen = 0;
  /** Failures in a row. They decide how long it waits. */
  failures = 0;
  /** When it may be sent again, in milliseconds since 1970. */
  at = 0;
  /** How long it waits at most once something is accepted, in milliseconds. */
  aliveMs: number | undefined;
  /** Whether it is one event that is probably at fault, and whether it waits alone, so that it holds up no others. */
  isSuspect = false;
  isAlone = false;
  /** The last answer. */
  status = 0;
  words = '';

  constructor(parcel: Parcel, denied: AbortSignal, whole: Whole = newWhole(), pair?: Pair) {
    this.parcel = parcel;
    this.count = parcel.count;
    this.denied = denied;
    this.whole = whole;
    this.pair = pair;
  }

  /** Whether an event of it is known to be at fault. */
  get isBlamed(): boolean {
    return this.pair?.isAccepted === true && this.pair.isSure;
  }

  /** The halves of it. */
  halves(first: Parcel, second: Parcel, isSure: boolean, isInOrder: boolean): readonly [Trial, Trial] {
    const pair: Pair = { isSure, isInOrder, isAccepted: false };
    this.whole.open += 1;
    return [
      new Trial(first, this.denied, this.whole, pair),
      new Trial(second, this.denied, this.whole, pair),
    ];
  }
}

function newWhole(): Whole {
  const least = Number.POSITIVE_INFINITY;
  return { open: 1, refusals: 0, crashes: 0, least, isAccepted: false, isGuilty: false };
}
