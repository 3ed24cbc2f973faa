import type { Parcel } from '../wait/parcel.ts';

/** If this many parcels in a row are refused, the events are probably not at fault. */
const REFUSALS_TO_DOUBT = 5;
/** An event is at fault after this many refusals over at least `LEAST_MS`, if others are accepted in between. */
const REFUSALS_TO_END = 5;
const LEAST_MS = 30_000;
/** If the service accepts bytes that it refused before, its refusals prove nothing for this long. */
const FICKLE_MS = 10 * 60_000;
/** About this many of the last ended events count. */
const WINDOW_EVENTS = 500;
/** So few refused events say nothing about the service yet. */
const FEW_REFUSED = 10;
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

/**
 * What a refusal says about a suspected event or parcel. `doubted`: nothing, because the service may refuse everything.
 * `first`, `repeated`: it is suspected. `proven`: it is at fault, if it is a single event.
 */
export type Finding = 'doubted' | 'first' | 'repeated' | 'proven';

/** The evidence against an event or a parcel that was refused while others were accepted. */
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
 * Who is at fault: an event, or the service and our setup?
 * - If the service refused most of the last events, the service is.
 * - If it does not accept our key, or says that the address is wrong, it may be one event: some firewalls answer so. As long as
 *   others are accepted, the event is suspected.
 */
export class Evidence {
  readonly #random: () => number;
  #requests = 0;
  /** The number of the newest accepted request. */
  #accepted = 0;
  /** Parcels that were refused since something was accepted. Each counts once. */
  #refusedInARow = 0;
  /** How often the service was doubted, because too many parcels in a row were refused. */
  #doubts = 0;
  #fickleUntil = 0;
  /** How many of the last events were accepted, and how many were refused for good. */
  #acceptedEvents = 0;
  #refusedEvents = 0;
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

  /** Whether the service refused most of the last events. Then it or our setup is at fault, not the events. */
  get blamesService(): boolean {
    return this.#refusedEvents >= FEW_REFUSED && this.#refusedEvents > this.#acceptedEvents;
  }

  /** Counts events that were accepted, and events that were refused for good. Older ones count less. */
  count(accepted: number, refused: number): void {
    const total = this.#acceptedEvents + this.#refusedEvents + accepted + refused;
    const share = Math.min(1, WINDOW_EVENTS / total);
    this.#acceptedEvents = share * (this.#acceptedEvents + accepted);
    this.#refusedEvents = share * (this.#refusedEvents + refused);
  }

  /**
   * The service accepted a request.
   *
   * @param wasRefused Whether it refused these events before, or whether the event at fault was known to be among them.
   */
  accepted(request: number, wasRefused: boolean, now: number): void {
    this.#refusedInARow = 0;
    this.#accepted = Math.max(this.#accepted, request);
    if (wasRefused) this.#fickleUntil = now + FICKLE_MS;
  }

  /** The service refused a suspected event or parcel. */
  refused(suspicion: Suspicion, now: number): Finding {
    const isNews = suspicion.tries === 0 || this.#accepted > suspicion.request;
    if (isNews) this.#refusedInARow += 1;
    if (isNews && this.#refusedInARow === REFUSALS_TO_DOUBT) this.#doubts += 1;
    this.#renew(suspicion, now);
    if (isNews) suspicion.proofs += 1;
    suspicion.tries += 1;
    suspicion.request = this.#requests;
    // During a pause, the pause decides how long everything waits.
    if (this.#accepted === 0 || this.#refusedInARow >= REFUSALS_TO_DOUBT) return 'doubted';
    this.#putOff(suspicion, now);
    const isLong = now - suspicion.since >= LEAST_MS && now >= this.#fickleUntil;
    if (isLong && suspicion.proofs >= REFUSALS_TO_END) return 'proven';
    return suspicion.tries === 1 ? 'first' : 'repeated';
  }

  /** How long until it may be tried again, in milliseconds. */
  waitMs(suspicion: Suspicion, now: number): number {
    // After a pause, suspected events are spread out, so that not all are tried at the same moment.
    if (this.#renew(suspicion, now)) this.#putOff(suspicion, now);
    return suspicion.nextAt - now;
  }

  /** The suspicion of a parcel, known or new. That of a single event is remembered. */
  suspicionOf(parcel: Parcel): Suspicion {
    const suspicion = this.knownAs(parcel) ?? new Suspicion();
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    if (parcel.count === 1) for (const place of placesOf(parcel)) this.#known.set(place, suspicion);
    return suspicion;
  }

  /** The known suspicion of a single event, if there is one. */
  knownAs(parcel: Parcel): Suspicion | undefined {
    return parcel.count === 1 ? this.#known.get(placesOf(parcel)[0] ?? '') : undefined;
  }

  /** Whether an event of the parcel is suspected. */
  knows(parcel: Parcel): boolean {
    return this.#known.size > 0 && placesOf(parcel).some((place) => this.#known.has(place));
  }

  /** The events have ended: forgets what they were suspected of. */
  forget(parcel: Parcel): void {
    if (this.#known.size > 0) for (const place of placesOf(parcel)) this.#known.delete(place);
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

/** Where the journal has each event. */
function placesOf({ places }: Parcel): string[] {
  return places.ranges.flatMap(({ segment, from, to }) =>
    Array.from({ length: to - from }, (_, index) => `${segment} ${from + index}`),
  );
}
