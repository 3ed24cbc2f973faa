import type { Rule } from '../../send/delivery-policy.ts';
import type { Parcel, Whole } from '../keep/parcel.ts';
import type { Carried } from './requests.ts';

const FAILURES_TO_DOUBT = 5;
const LEAST_TO_END = 5;
const LEAST_CRASHES = 3;
const LEAST_DENIALS = 2;
const LEAST_MS = 30_000;
/** So much may be chance. */
const CHANCE = 0.001;
/** About so many requests count. */
const WINDOW = 200;
const FICKLE_MS = 10 * 60_000;

/** Parcels in one request, which is made until they end or are halved. */
export interface Batch {
  parcels: readonly Parcel[];
  readonly whole: Whole;
  /** Of both halves of a request that failed: if one is accepted, the other is at fault. */
  readonly pair: Whole;
  /** When it is sent next, and how long that was when it was decided. */
  at: number;
  waitMs: number;
  sent: number;
  failures: number;
  /** Of these, those before it waited alone. */
  before: number;
  /** Failures with an acceptance of something newer between them. */
  proofs: number;
  /** When it failed first, and whether it was ever refused. */
  since: number;
  isRefused: boolean;
  /** The number of the last request, and of the last one of all when it failed. */
  request: number;
  seen: number;
  /** It goes under a name: a relay may have it already. */
  isNamed: boolean;
  /** Probably at fault, and whether it waits alone, so that it holds up no others. */
  isSuspect: boolean;
  isAlone: boolean;
  /** What its requests carry: each has the same bytes. */
  carried: Carried | undefined;
  status: number;
  words: string;
}

export function batchOf(
  parcels: readonly Parcel[],
  whole: Whole = parcels[0]?.whole ?? { isAccepted: false },
  pair: Whole = { isAccepted: false },
): Batch {
  const counts = {
    at: 0,
    waitMs: 0,
    sent: 0,
    failures: 0,
    before: 0,
    proofs: 0,
    since: 0,
    request: 0,
    seen: 0,
    status: 0,
  };
  const no = { isNamed: false, isRefused: false, isSuspect: false, isAlone: false };
  return { parcels, whole, pair, ...counts, ...no, carried: undefined, words: '' };
}

export function countOf({ parcels }: Pick<Batch, 'parcels'>): number {
  return parcels.reduce((total, { count }) => total + count, 0);
}

export function bytesOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((total, { bytes }) => total + bytes, 0);
}

type Verdict = 'again' | 'halve' | 'shrink' | 'end' | 'suspect' | 'drop';

export interface Blame {
  /** Whether the service ever accepted something. */
  readonly isKnown: boolean;
  /** Failures in a row without an acceptance. */
  readonly inARow: number;
  sent(batch: Batch): void;
  accepted(batch: Batch, now: number): void;
  /** Returns whether the service, or we, may be to blame: too much fails in a row. */
  failed(batch: Batch, isWrong: boolean, isCrash: boolean, isOnly: boolean, now: number): boolean;
  /**
   * @param isOnly Nothing else may be sent before it ends: nothing tells whether the service is to blame.
   * @param isStrict With strict order, that it fails again and again is enough.
   */
  verdict(rule: Rule, batch: Batch, isOnly: boolean, isStrict: boolean, now: number): Verdict;
  /** With order, an event ended: something must be accepted before another one does. */
  ended(): void;
}

/** Who is to blame for a failure: the events, the service, or us? Only an acceptance of others blames the events. */
export function createBlame(): Blame {
  let requests = 0;
  let accepted = 0;
  /** Failures in a row, and those of different events. */
  let all = 0;
  let row = 0;
  let fickleUntil = 0;
  /** Requests for events that were accepted in the end, and how many of them failed. */
  let tries = 0;
  let chances = 0;
  /** Which share of the requests fails by chance. */
  const share = () => Math.max(0.01, (chances + 1) / (tries + 10));
  return {
    get isKnown() {
      return accepted > 0;
    },
    get inARow() {
      return all;
    },
    sent(batch: Batch): void {
      requests += 1;
      batch.request = requests;
      batch.sent += 1;
    },
    accepted({ failures, isRefused, pair, parcels, request, whole }: Batch, now: number): void {
      const kept = Math.min(1, WINDOW / (tries + 1));
      tries = tries * kept + failures + 1;
      chances = chances * kept + failures;
      all = 0;
      row = 0;
      accepted = Math.max(accepted, request);
      for (const each of [{ whole }, ...parcels]) if (each.whole) each.whole.isAccepted = true;
      pair.isAccepted = true;
      if (isRefused) fickleUntil = now + FICKLE_MS;
    },
    failed(batch, isWrong, isCrash, isOnly, now) {
      const { proofs, seen, whole } = batch;
      const isNew = proofs === 0 || accepted > seen;
      batch.since ||= now;
      batch.failures += 1;
      if (isNew) batch.proofs += 1;
      batch.seen = requests;
      // Pieces, and what fails again though others are accepted, are to blame themselves.
      if (!whole.isAccepted && batch.proofs < 2 && !(isWrong && countOf(batch) > 1)) {
        all += 1;
        if (isNew) row += 1;
      }
      return (isCrash || isOnly ? all : row) >= FAILURES_TO_DOUBT * (isWrong && !isOnly ? 2 : 1);
    },
    ended() {
      accepted = 0;
    },
    verdict({ action, endsEvent }, batch, isOnly, isStrict, now) {
      const { failures, proofs, since, whole } = batch;
      const isDenial = action === 'pause';
      if (action === 'drop') return action;
      const isFickle = now < fickleUntil;
      if (countOf(batch) > 1) {
        if (action === 'split') return 'shrink';
        if (action === 'retry')
          return failures >= LEAST_CRASHES && share() ** failures <= CHANCE && (proofs > 1 || isOnly)
            ? 'halve'
            : 'again';
        return failures >= LEAST_DENIALS * (isFickle ? 2 : 1) ? 'halve' : 'again';
      }
      const isBetween = isDenial ? proofs >= LEAST_TO_END : whole.isAccepted || proofs > 1;
      const isEnough = failures >= (action === 'split' ? LEAST_DENIALS : LEAST_TO_END);
      if (!isEnough || (isDenial && now - since < LEAST_MS)) return 'again';
      if (!(isBetween || (isStrict && accepted > 0))) return isOnly && !isStrict ? 'suspect' : 'again';
      return endsEvent && !isFickle ? 'end' : 'suspect';
    },
  };
}
