import type { Why } from '../pace/breaker.ts';
import type { Batch } from '../wait/parcel.ts';

/** What the pieces of one refused request have in common. */
interface Whole {
  isAccepted: boolean;
}

/** Events that are stored and released together. */
interface Part {
  readonly count: number;
  readonly bytes: number;
}

/** What is sent in one request, and what happened to exactly these events so far. It is sent until they end, or are halved. */
export abstract class Trial<Parcel extends Part = Part> {
  parcels: readonly Parcel[];
  readonly whole: Whole;
  /** When it is sent next, and how long that was when it was decided, in milliseconds. */
  at = 0;
  waitMs = 0;
  /** How often it was sent. */
  sent = 0;
  failures = 0;
  /** Failures with an acceptance of something else between them. */
  proofs: number;
  /** How much was accepted when it failed. */
  seen: number;
  /** When it failed first. */
  since: number | undefined;
  /** Whether it was refused, and did not only get no sensible answer. */
  isRefused = false;
  /** Whether it is probably at fault, and whether it waits alone, so that it holds up no others. */
  isSuspect = false;
  isAlone = false;
  /** Whether consent to send it was denied. */
  abstract readonly isDenied: boolean;
  /** What its requests carry. */
  abstract readonly carried: Batch | undefined;
  /** Of its last failure. */
  why: Why | undefined;

  /** @param from What it is a piece of, and failed: that is the first proof. */
  constructor(parcels: readonly Parcel[], from?: Trial<Parcel>) {
    this.parcels = parcels;
    this.whole = from?.whole ?? { isAccepted: false };
    this.proofs = from ? 1 : 0;
    this.seen = from?.seen ?? 0;
  }

  get count(): number {
    return this.parcels.reduce((total, { count }) => total + count, 0);
  }

  get bytes(): number {
    return this.parcels.reduce((total, { bytes }) => total + bytes, 0);
  }
}
