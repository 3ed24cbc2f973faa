import { type Range, rangeLength } from '../base/range.ts';

/** If this many batches in a row are refused, the events are probably not at fault. */
const REFUSALS_TO_DOUBT = 5;
/** An event is at fault after this many refusals over at least `LEAST_MS`, if others are accepted in between. */
const REFUSALS_TO_END = 5;
const LEAST_MS = 30_000;
/** If the service accepts bytes that it refused before, its refusals prove nothing for this long. */
const FICKLE_MS = 10 * 60_000;
/** First wait before something suspected is sent again. The wait doubles up to `LONGEST_WAIT_MS`. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/**
 * Random part added to that wait. Otherwise an event could meet the same other requests each time, and a rate limit would
 * refuse it each time.
 */
const JITTER = 0.5;
/** Maximum number of suspected events that are remembered. More would mean that the service refuses everything. */
const MOST_KNOWN = 1_000;

/** The evidence against an event or a batch that was refused while others were accepted. */
export class Suspicion {
  /** How often it was refused, and how many refusals count: the first, and each one after something newer was accepted. */
  tries = 0;
  proofs = 0;
  /** Since when its refusals count. */
  since = 0;
  /** When it may be tried again. */
  nextAt = 0;
  /** The number of the newest request when it was last refused. */
  request = 0;
  /** How often the service had been doubted by then. */
  doubts = -1;
}

/**
 * Decides whether an event or our setup is at fault when the service does not accept our key, or says that the address is
 * wrong. Some firewalls answer so because of one event. As long as others are accepted, the event is suspected.
 */
export class Evidence {
  readonly #random: () => number;
  #requests = 0;
  /** The number of the newest accepted request. */
  #accepted = 0;
  /** Batches that were refused since something was accepted. Each counts once. */
  #refusedInARow = 0;
  /** How often the service was doubted, because too many batches in a row were refused. */
  #doubts = 0;
  #fickleUntil = 0;
  /** Suspected single events, by segment and index. So an event that went back to the journal is recognized later. */
  readonly #known = new Map<string, Suspicion>();

  /** @param random Gives numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Counts a new request. Returns its number. */
  sent(): number {
    this.#requests += 1;
    return this.#requests;
  }

  /** Whether it is unknown who is at fault: nothing was accepted yet, or nothing since several batches were refused. */
  get isDoubted(): boolean {
    return this.#accepted === 0 || this.#refusedInARow >= REFUSALS_TO_DOUBT;
  }

  /**
   * The service accepted the events of a request.
   *
   * @param wasRefused Whether it refused these events before, or whether the event at fault was known to be among them.
   */
  accepted(request: number, wasRefused: boolean, now: number): void {
    this.#refusedInARow = 0;
    this.#accepted = Math.max(this.#accepted, request);
    if (wasRefused) this.#fickleUntil = now + FICKLE_MS;
  }

  /** The service refused a suspected event or batch. */
  refused(suspicion: Suspicion, now: number): void {
    const isNews = suspicion.tries === 0 || this.#accepted > suspicion.request;
    if (isNews) this.#refusedInARow += 1;
    if (isNews && this.#refusedInARow === REFUSALS_TO_DOUBT) this.#doubts += 1;
    this.#renew(suspicion, now);
    if (isNews) suspicion.proofs += 1;
    suspicion.tries += 1;
    suspicion.request = this.#requests;
    // During a pause, the pause decides how long everything waits.
    if (!this.isDoubted) this.#putOff(suspicion, now);
  }

  /** How long until it may be tried again, in milliseconds. */
  waitMs(suspicion: Suspicion, now: number): number {
    // After a pause, suspected events are spread out, so that not all are tried at the same moment.
    if (this.#renew(suspicion, now)) this.#putOff(suspicion, now);
    return suspicion.nextAt - now;
  }

  /** Whether a single event is certainly at fault. */
  isProven({ proofs, since }: Suspicion, now: number): boolean {
    return proofs >= REFUSALS_TO_END && now - since >= LEAST_MS && now >= this.#fickleUntil;
  }

  /** The suspicion of a range, known or new. That of a single event is remembered. */
  suspicionOf(range: Range): Suspicion {
    const suspicion = this.knownAs(range) ?? new Suspicion();
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    if (rangeLength(range) === 1) this.#known.set(placeOf(range), suspicion);
    return suspicion;
  }

  /** The known suspicion of a single event, if there is one. */
  knownAs(range: Range): Suspicion | undefined {
    return rangeLength(range) === 1 ? this.#known.get(placeOf(range)) : undefined;
  }

  /** Whether an event of the range is suspected. */
  knows({ segment, from, to }: Range): boolean {
    for (let index = from; this.#known.size > 0 && index < to; index += 1)
      if (this.#known.has(placeOf({ segment, from: index }))) return true;
    return false;
  }

  /** The event has ended: forgets its suspicion. */
  forget(range: Range): void {
    this.#known.delete(placeOf(range));
  }

  /**
   * Resets the proofs if the service was doubted since the last refusal: refusals of everything prove nothing about one event.
   * Returns whether it did.
   */
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
