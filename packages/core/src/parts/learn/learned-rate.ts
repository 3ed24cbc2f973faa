import type { RateLimit } from '../../pace/limits.ts';

/** The rate is multiplied by this when the service pushes back. */
const DECREASE = 0.7;
/** Added to the rate each second, as a part of the rate at which the service pushed back. */
const INCREASE_PER_SECOND = 0.1;
/** Above that rate, the rate is multiplied by this each second: the service takes more than before, or than was known. */
const GROWTH_PER_SECOND = 2;
/** Maximum seconds of growth that one accepted request allows. If many clients each send rarely, one success says little. */
const MOST_SECONDS = 0.3;
/** At this many times the rate at which the service pushed back, the limit ends. */
const RELEASE = 64;
const LEAST_PER_SECOND = 1 / 20;
/** While nothing is accepted, the rate is lowered at most this many times. After that, the breaker handles refusals. */
const MOST_PUSHES = 3;
/** The accepted rate is measured over this many last requests, none of them older than `WINDOW_MS`. */
const WINDOW_REQUESTS = 64;
const WINDOW_MS = 10_000;

/**
 * Limits the requests per second. There is no limit until the service pushes back. Then the rate follows additive increase,
 * multiplicative decrease (D. Chiu and R. Jain, 1989), from the rate at which the service accepted before. Above the rate at
 * which the service pushed back, the increase is multiplicative too, as in TCP's slow start. After the first pushback it is
 * multiplicative at once, because the first rate is only a guess.
 */
export class LearnedRate implements RateLimit {
  readonly #onChange: (perSecond: number | undefined) => void;
  #perSecond = Number.POSITIVE_INFINITY;
  /** Up to here, the rate grows additively: the rate at the last pushback, or after the first pushback, the new rate. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** When the last request was made. */
  #takenAt = Number.NEGATIVE_INFINITY;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  #increasedAt = 0;
  /** How often the rate was lowered since a request was accepted. */
  #pushes = 0;
  /** When the last requests were accepted. */
  readonly #accepted: number[] = [];

  constructor(onChange: (perSecond: number | undefined) => void) {
    this.#onChange = onChange;
  }

  get perSecond(): number | undefined {
    return this.#perSecond === Number.POSITIVE_INFINITY ? undefined : this.#perSecond;
  }

  /** Whether the service accepts nothing at any rate: a quota is used up, or the service is away. */
  get isExhausted(): boolean {
    return this.#pushes >= MOST_PUSHES;
  }

  waitMs(now: number): number {
    const elapsed = now - this.#takenAt;
    // The last request seems to be in the future: the clock was set back.
    return elapsed < 0 ? 0 : Math.max(0, Math.ceil(1_000 / this.#perSecond - elapsed));
  }

  take(now: number): void {
    this.#takenAt = now;
  }

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

  forget(): void {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#perSecond = Number.POSITIVE_INFINITY;
    this.#onChange(undefined);
  }

  /**
   * Lowers the rate. While nothing is accepted, it is lowered once, or up to `MOST_PUSHES` times if the service works.
   * Returns true if the service works and the rate limit helps.
   */
  pushedBack(sentAt: number, now: number, isAlive = false): boolean {
    this.#lower(sentAt, now, isAlive ? MOST_PUSHES : 1);
    return isAlive && !this.isExhausted && this.perSecond !== undefined;
  }

  #lower(sentAt: number, now: number, mostPushes: number): void {
    // Several pending requests may get the same answer: that counts as one pushback.
    if (sentAt <= this.#decreasedAt && now >= this.#decreasedAt) return;
    const accepted = this.#acceptedPerSecond(now);
    const isGuess = this.#perSecond === Number.POSITIVE_INFINITY;
    const isTaking = isGuess ? accepted > 0 : this.#pushes < mostPushes;
    // The service accepts nothing: the breaker handles that. Otherwise each probe of a long outage would lower the later rate.
    if (!isTaking) return;
    this.#pushes += 1;
    this.#decreasedAt = now;
    this.#increasedAt = now;
    const before = isGuess ? Math.max(1, accepted) : this.#perSecond;
    this.#perSecond = Math.max(LEAST_PER_SECOND, before * DECREASE);
    // The accepted rate may be low only because few requests were sent, so the rate may grow fast from here.
    this.#ceiling = isGuess ? this.#perSecond : before;
    this.#takenAt = now;
    this.#onChange(this.#perSecond);
  }

  #acceptedPerSecond(now: number): number {
    const recent = this.#accepted.filter((at) => at <= now && now - at <= WINDOW_MS);
    // Measured over at least one second: a burst of a few milliseconds is not a rate.
    return (recent.length * 1_000) / Math.max(1_000, now - (recent[0] ?? now));
  }
}
