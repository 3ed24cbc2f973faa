import { MAX_RETRY_AFTER_MS } from './wait-times.ts';

/** A pushback multiplies the rate by this. */
const DECREASE = 0.7;
/**
 * The service asks to wait for more than `OFTEN` times as long as it took requests before: the rate is multiplied by
 * `HELD_DECREASE`, and does not grow for `HELD` times the wait. It is better to stay below the limit than to hit it often.
 */
const OFTEN = 4;
const HELD_DECREASE = 0.85;
const HELD = 30;
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
export class LearnedRate {
  readonly #onChange: (perSecond: number | undefined) => void;
  #perSecond = Number.POSITIVE_INFINITY;
  /** Up to here, the rate grows additively: the rate at the last pushback, or after the first pushback, the new rate. */
  #ceiling = Number.POSITIVE_INFINITY;
  #takenAt = 0;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  #increasedAt = 0;
  #heldUntil = 0;
  /** When requests began again after the last long wait, or at all. */
  #beganAt: number | undefined;
  /** How often the rate was lowered since a request was accepted. */
  #pushes = 0;
  /** When the last requests were accepted. */
  readonly #accepted: number[] = [];

  constructor(onChange: (perSecond: number | undefined) => void) {
    this.#onChange = onChange;
  }

  /** Undefined if there is no limit. */
  get perSecond(): number | undefined {
    return this.#perSecond === Number.POSITIVE_INFINITY ? undefined : this.#perSecond;
  }

  /** How long until the next request may be made, in whole milliseconds. */
  waitMs(now: number): number {
    const elapsed = now - this.#takenAt;
    // The last request seems to be in the future: the clock was set back.
    return elapsed < 0 ? 0 : Math.max(0, Math.ceil(1_000 / this.#perSecond - elapsed));
  }

  take(now: number): void {
    this.#beganAt ??= now;
    this.#takenAt = now;
  }

  accepted(now: number): void {
    this.#accepted.push(now);
    this.#pushes = 0;
    if (this.#accepted.length > WINDOW_REQUESTS) this.#accepted.shift();
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    const seconds = Math.min(MOST_SECONDS, Math.max(0, (now - this.#increasedAt) / 1_000));
    this.#increasedAt = now;
    // Unless the clock was set back since.
    if (now < this.#heldUntil && now > this.#decreasedAt) return;
    if (this.#perSecond < this.#ceiling) this.#perSecond += this.#ceiling * INCREASE_PER_SECOND * seconds;
    else this.#perSecond *= GROWTH_PER_SECOND ** seconds;
    if (this.#perSecond >= this.#ceiling * RELEASE) this.restore();
  }

  /** The limit is no lower than this: what is known about the service is outdated, or wrong. @param perSecond Default: no limit. */
  restore(perSecond: number = Number.POSITIVE_INFINITY): void {
    if (this.#perSecond >= perSecond) return;
    this.#perSecond = perSecond;
    this.#heldUntil = 0;
    this.#onChange(this.perSecond);
  }

  /**
   * Lowers the rate. While nothing is accepted, it is lowered once, or up to `MOST_PUSHES` times if the service works.
   * Returns true if the service works and the rate limit helps.
   *
   * @param sentAt When the request was made.
   * @param isAlive Whether the answer shows that the service works.
   * @param askedMs How long the service asks to wait, in milliseconds.
   */
  pushedBack(sentAt: number, now: number, isAlive = false, askedMs = 0): boolean {
    const recent = this.#accepted.filter((at) => at <= now && now - at <= WINDOW_MS);
    // Measured over at least one second: a burst of a few milliseconds is not a rate.
    const accepted = (recent.length * 1_000) / Math.max(1_000, now - (recent[0] ?? now));
    const isGuess = this.#perSecond === Number.POSITIVE_INFINITY;
    // The service accepts nothing: the breaker handles that. Otherwise each probe of a long outage would lower the later rate.
    const isTaking = isGuess ? accepted > 0 : this.#pushes < (isAlive ? MOST_PUSHES : 1);
    // Several pending requests may get the same answer: that counts as one pushback.
    const isNew = sentAt > this.#decreasedAt || now < this.#decreasedAt;
    if (isTaking && isNew) {
      this.#pushes += 1;
      this.#decreasedAt = this.#increasedAt = this.#takenAt = now;
      const forMs = now - (this.#beganAt ?? now);
      const waitMs = Math.min(askedMs, MAX_RETRY_AFTER_MS);
      const isHeld = forMs >= 0 && forMs * OFTEN < waitMs;
      if (waitMs > 0) this.#beganAt = now + waitMs;
      if (isHeld) this.#heldUntil = now + HELD * waitMs;
      const least = Math.max(1, accepted);
      // It may have grown far beyond what is sent.
      const before = isGuess || isHeld ? least : Math.min(this.#perSecond, least * RELEASE);
      this.#perSecond = Math.max(LEAST_PER_SECOND, before * (isHeld ? HELD_DECREASE : DECREASE));
      // The accepted rate may be low only because few requests were sent, so the rate may grow fast from here.
      this.#ceiling = isGuess ? this.#perSecond : before;
      this.#onChange(this.#perSecond);
    }
    return isAlive && this.#pushes < MOST_PUSHES && this.#perSecond < Number.POSITIVE_INFINITY;
  }
}
