/** What is left of the rate when the service pushes back. */
const DECREASE = 0.7;
/** What is added to it each second, as a part of the rate at which the service pushed back. */
const INCREASE_PER_SECOND = 0.1;
/** What it grows by each second beyond that rate: the service bears more than it did, or than was known. */
const GROWTH_PER_SECOND = 2;
/** One accepted request counts for no more time than this: of many clients that ask seldom, each learns little from it. */
const MOST_SECONDS = 0.3;
/** Grown to so many times the rate at which the service pushed back, there is no limit any more. */
const RELEASE = 64;
const LEAST_PER_SECOND = 1 / 20;
/** So often it is lessened while nothing is accepted: what is refused beyond that is not for the rate. */
const MOST_PUSHES = 3;
/** Accepted requests from which the rate is known that the service bears. */
const WINDOW_REQUESTS = 64;
const WINDOW_MS = 10_000;

/**
 * How many requests a second the service is sent: no limit until it pushes back; then additive increase, multiplicative
 * decrease (D. Chiu and R. Jain, 1989), from the rate at which it accepted before. Above a rate that it bore, and from a
 * first rate that is but a guess, the increase is multiplicative too, as in TCP's slow start.
 */
export class RateLimit {
  readonly #onChange: (perSecond: number | undefined) => void;
  #perSecond = Number.POSITIVE_INFINITY;
  /** The rate at which the service pushed back when it last did. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** When the last request was made. */
  #takenAt = Number.NEGATIVE_INFINITY;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  #increasedAt = 0;
  /** How often it was lessened since a request was accepted. */
  #pushes = 0;
  /** When requests were accepted, the last ones. */
  readonly #accepted: number[] = [];

  constructor(onChange: (perSecond: number | undefined) => void) {
    this.#onChange = onChange;
  }

  /** Undefined where there is no limit. */
  get perSecond(): number | undefined {
    return this.#perSecond === Number.POSITIVE_INFINITY ? undefined : this.#perSecond;
  }

  /** Whether it takes nothing, however little it is sent: a quota that is used up, or a service that is away. */
  get isExhausted(): boolean {
    return this.#pushes >= MOST_PUSHES;
  }

  /** How long until the next request may be made, in whole milliseconds. */
  waitMs(now: number): number {
    const elapsed = now - this.#takenAt;
    // Before the last one: the time of day was set back.
    return elapsed < 0 ? 0 : Math.max(0, Math.ceil(1_000 / this.#perSecond - elapsed));
  }

  /** A request is made. */
  take(now: number): void {
    this.#takenAt = now;
  }

  /** A request was accepted. */
  accepted(now: number): void {
    this.#accepted.push(now);
    this.#pushes = 0;
    if (this.#accepted.length > WINDOW_REQUESTS) this.#accepted.shift();
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    const seconds = Math.min(MOST_SECONDS, Math.max(0, (now - this.#increasedAt) / 1_000));
    this.#increasedAt = now;
    if (this.#perSecond < this.#ceiling) this.#perSecond += this.#ceiling * INCREASE_PER_SECOND * seconds;
    else this.#perSecond *= GROWTH_PER_SECOND ** seconds;
    if (this.#perSecond >= this.#ceiling * RELEASE) this.forget();
  }

  /** What is known of the service is out of date. */
  forget(): void {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#perSecond = Number.POSITIVE_INFINITY;
    this.#onChange(undefined);
  }

  /**
   * The service pushed back on a request that was made at `sentAt`.
   *
   * @param isAlive Whether a service that takes nothing would say something else: each answer counts.
   */
  pushedBack(sentAt: number, now: number, isAlive = false): void {
    // Several that were under way at once are told the same: that is one push.
    if (sentAt <= this.#decreasedAt && now >= this.#decreasedAt) return;
    const accepted = this.#acceptedPerSecond(now);
    const isGuess = this.#perSecond === Number.POSITIVE_INFINITY;
    const mostPushes = isAlive ? MOST_PUSHES : 1;
    const isTaking = isGuess ? accepted > 0 : this.#pushes < mostPushes;
    // It takes nothing at all: that is for the breaker. Each probe of a long outage would lessen what follows it.
    if (!isTaking) return;
    this.#pushes += 1;
    this.#decreasedAt = now;
    this.#increasedAt = now;
    const before = isGuess ? Math.max(1, accepted) : this.#perSecond;
    this.#perSecond = Math.max(LEAST_PER_SECOND, before * DECREASE);
    // What was accepted of late may be little because little was sent.
    this.#ceiling = isGuess ? this.#perSecond : before;
    this.#takenAt = now;
    this.#onChange(this.#perSecond);
  }

  #acceptedPerSecond(now: number): number {
    const recent = this.#accepted.filter((at) => at <= now && now - at <= WINDOW_MS);
    // Of less than a second, as of a second: a burst of a few milliseconds is no rate.
    return (recent.length * 1_000) / Math.max(1_000, now - (recent[0] ?? now));
  }
}
