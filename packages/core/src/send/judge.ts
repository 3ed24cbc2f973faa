import type { Rule } from './delivery-policy.ts';

/** How often chance may explain what is taken for a fault: once in so many times. */
const ONCE_IN = { refusal: 100, crash: 1_000, end: 1_000_000 };
/** Fewest failures of one kind before a parcel is halved. */
const LEAST_CRASHES = 3;
const LEAST_DENIALS = 2;
/** Fewest failures before a single event is at fault. */
const LEAST_TO_END = 5;
/** An event that looks like a wrong key or address must fail over at least this time. */
const LEAST_MS = 30_000;
/** If so many requests fail, halves fail too: the tree of pieces would grow without end. */
const MOST_SHARE = 0.5;

/** What is known about the events of a failed request, and about the service. */
export interface Facts {
  /** Number of events in the request. */
  readonly count: number;
  /** How often exactly these events failed in this way. */
  readonly failures: number;
  /** How many of these failures came after something newer was accepted; the first one counts. */
  readonly proofs: number;
  /** Time since the first of these failures, in milliseconds. */
  readonly forMs: number;
  /** Whether other events of their parcel were accepted. */
  readonly isBlamed: boolean;
  /** Whether nothing else can be sent before it ends. Then nothing tells whether the service is to blame. */
  readonly isAlone: boolean;
  /** Which share of the requests fails in this way by chance. */
  readonly share: number;
  /** Whether that share is known from enough answers. */
  readonly knowsChance: boolean;
  /** Whether the service lately accepted bytes that it had refused. */
  readonly isFickle: boolean;
  /** The largest body that the service lately accepted, as a part of this one; 0 if that is not known. */
  readonly partTaken: number;
}

/**
 * What to do with the events of a failed request, if the service is not in doubt:
 * - `again`: send them again, after a wait.
 * - `halve`: one of them is at fault. Send the halves.
 * - `shrink`: the body is too large. Send smaller ones.
 * - `end`: the single event is at fault: a dead letter.
 * - `suspect`: the single event is probably at fault. It waits alone.
 * - `pause`: send nothing for a time.
 * - `drop`: drop them.
 */
export type Verdict = 'again' | 'halve' | 'shrink' | 'end' | 'suspect' | 'pause' | 'drop';

/** @param rule What the table says about the outcome. Not one that accepts. */
export function judge({ action, isAskedFor, endsEvent }: Rule, facts: Facts): Verdict {
  const { count, failures, forMs, isBlamed, isFickle, isAlone, knowsChance, partTaken, proofs, share } =
    facts;
  const isDenial = action === 'pause';
  if (action === 'drop') return action;
  if (isDenial && isAskedFor) return action;
  const isRare = (onceIn: number) => share ** failures <= 1 / onceIn;
  if (count > 1) {
    if (action === 'split') return 'shrink';
    if (action === 'retry') {
      const isProven = failures >= LEAST_CRASHES && share < MOST_SHARE && isRare(ONCE_IN.crash);
      return isProven ? 'halve' : 'again';
    }
    // While it is fickle it may be a limit of the rate, which halves would only exceed more.
    const denials = isFickle ? LEAST_TO_END : LEAST_DENIALS;
    const least = isDenial ? denials : knowsChance ? 1 : LEAST_DENIALS;
    return failures >= least && (!knowsChance || isRare(ONCE_IN.refusal)) ? 'halve' : 'again';
  }
  const isBetween = isDenial ? proofs >= LEAST_TO_END : isBlamed || proofs > 1;
  // The size is the reason if only smaller ones are accepted.
  if (action === 'split' && failures >= LEAST_DENIALS && partTaken < 1 && (isBetween || partTaken > 0))
    return 'end';
  if (failures < LEAST_TO_END || (isDenial && forMs < LEAST_MS) || !isRare(ONCE_IN.end)) return 'again';
  if (!isBetween) return isAlone ? 'suspect' : 'again';
  return endsEvent === true && !isFickle ? 'end' : 'suspect';
}
