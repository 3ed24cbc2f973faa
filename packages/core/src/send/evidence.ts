import { type Range, rangeLength } from '../base/range.ts';

/** So many batches that are refused in a row, and it is not the events that are at fault. */
const REFUSALS_TO_DOUBT = 5;
/** An event is at fault that is refused so often, and for so long, while others are accepted in between. */
const REFUSALS_TO_END = 5;
const LEAST_MS = 30_000;
/** For so long after the service refused and then took the same bytes, what it refuses proves nothing. */
const FICKLE_MS = 10 * 60_000;
/** How soon what was refused is asked about again. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Up to so much longer, so that it does not come at the same moment as others each time: a limit would refuse it each time. */
const JITTER = 0.5;
/** More would be a service that refuses whatever it is sent. */
const MOST_KNOWN = 1_000;

/** What is held against an event, or a batch, that was refused while others were accepted. */
export class Suspicion {
  /** How often it was refused, and how often something newer was accepted before that. */
  tries = 0;
  proofs = 0;
  /** When it was refused first. */
  since = 0;
  /** When it may be tried again. */
  nextAt = 0;
  /** The number of the last request that was made before it was refused. */
  request = 0;
  /** How often there had been doubt by then. */
  doubts = -1;
}

/**
 * Tells whether an event is at fault or we are, where the service answers that it does not take our key, or that the address is
 * wrong: some firewalls answer so because of one event. It is the event's matter as long as others are accepted.
 */
export class Evidence {
  readonly #random: () => number;
  #requests = 0;
  /** The newest request that was accepted. */
  #accepted = 0;
  /** Batches that were refused since, each counted once. */
  #refusedInARow = 0;
  /** How often so many were that it may not be the events. */
  #doubts = 0;
  #fickleUntil = 0;
  /** Single events, by their segment and index: what goes back to the journal is known again. */
  readonly #known = new Map<string, Suspicion>();

  /** @param random Gives numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** A request is made. Returns its number. */
  sent(): number {
    this.#requests += 1;
    return this.#requests;
  }

  /** Whether it is not known who is at fault: none is accepted any more, or none was yet. */
  get isDoubted(): boolean {
    return this.#accepted === 0 || this.#refusedInARow >= REFUSALS_TO_DOUBT;
  }

  /** The service took what was sent with a request. @param wasRefused Whether it had refused that, or all that is left to be at fault. */
  accepted(request: number, wasRefused: boolean, now: number): void {
    this.#refusedInARow = 0;
    this.#accepted = Math.max(this.#accepted, request);
    if (wasRefused) this.#fickleUntil = now + FICKLE_MS;
  }

  /** The service refused what is suspected. */
  refused(suspicion: Suspicion, now: number): void {
    const isNews = suspicion.tries === 0 || this.#accepted > suspicion.request;
    if (isNews) this.#refusedInARow += 1;
    if (isNews && this.#refusedInARow === REFUSALS_TO_DOUBT) this.#doubts += 1;
    this.#renew(suspicion, now);
    if (isNews) suspicion.proofs += 1;
    suspicion.tries += 1;
    suspicion.request = this.#requests;
    // While all waits, it is the pause that says for how long.
    if (!this.isDoubted) this.#putOff(suspicion, now);
  }

  /** How long until it may be tried again, in milliseconds. */
  waitMs(suspicion: Suspicion, now: number): number {
    // After a time in which all waited, not all are tried at the same moment.
    if (this.#renew(suspicion, now)) this.#putOff(suspicion, now);
    return suspicion.nextAt - now;
  }

  /** Whether a single event is at fault beyond doubt. */
  isProven({ proofs, since }: Suspicion, now: number): boolean {
    return proofs >= REFUSALS_TO_END && now - since >= LEAST_MS && now >= this.#fickleUntil;
  }

  /** What is held against the events of a range; of a single one it is remembered. */
  suspicionOf(range: Range): Suspicion {
    const suspicion = this.knownAs(range) ?? new Suspicion();
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    if (rangeLength(range) === 1) this.#known.set(placeOf(range), suspicion);
    return suspicion;
  }

  /** What is held against a single event. */
  knownAs(range: Range): Suspicion | undefined {
    return rangeLength(range) === 1 ? this.#known.get(placeOf(range)) : undefined;
  }

  /** Whether something is held against one of these. */
  knows({ segment, from, to }: Range): boolean {
    for (let index = from; this.#known.size > 0 && index < to; index += 1)
      if (this.#known.has(placeOf({ segment, from: index }))) return true;
    return false;
  }

  /** It has met its end. */
  forget(range: Range): void {
    this.#known.delete(placeOf(range));
  }

  /** What was refused while all was says nothing of an event. Returns whether that has happened since it was refused last. */
  #renew(suspicion: Suspicion, now: number): boolean {
    if (suspicion.doubts === this.#doubts) return false;
    suspicion.doubts = this.#doubts;
    suspicion.since = now;
    suspicion.proofs = 0;
    return true;
  }

  #putOff(suspicion: Suspicion, now: number): void {
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (suspicion.tries - 1));
    suspicion.nextAt = now + waitMs * (1 + JITTER * this.#random());
  }
}

function placeOf({ segment, from }: Omit<Range, 'to'>): string {
  return `${segment} ${from}`;
}
