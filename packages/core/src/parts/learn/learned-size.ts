/** While no bound is known, this many times the limit is tried next. So there is room for one event more. */
const RAISE = 2;
/** A request of at least this part of the limit is nearly full: a smaller one had room for another event of its size. */
const NEAR = 0.5;
/** The limit stops rising this close to the smallest size that was refused. */
const CLOSE = 0.1;
/** After this time without a trial, a size that is `CLOSE` above that one is tried, in milliseconds. */
const REST_MS = 30_000;

/**
 * Learns from refusals how large a request may be, in bytes or in events. There is no limit before the first refusal. Only one
 * request at a time is larger than what the service is known to take: the trial.
 */
export class LearnedSize {
  most: number = Number.POSITIVE_INFINITY;
  readonly #onChange: () => void;
  /** What the service takes, as far as that is known. */
  #taken = Number.POSITIVE_INFINITY;
  /** Whether a trial is pending, or the next large request will be one. */
  #isTrying = false;
  #triedAt = 0;
  /** The smallest size that was refused since one as large was accepted. */
  #refused = Number.POSITIVE_INFINITY;
  /** The smallest size that was refused twice in this way: the service has a limit. One refusal may be a mistake. */
  #bound = Number.POSITIVE_INFINITY;
  /** The largest size that was accepted. */
  #accepted = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Whether requests of that size were refused, and none as large was accepted since. */
  refuses(size: number): boolean {
    return size >= this.#bound;
  }

  sent(size: number, now: number): void {
    if (size <= this.#taken || size > this.most) return;
    this.#triedAt = now;
    this.#set(this.#taken);
  }

  /** A request of this size was too large. */
  refused(size: number, now: number): void {
    if (size < this.#refused) this.#refused = size;
    else {
      this.#bound = Math.min(this.#bound, size);
      this.#triedAt = now;
    }
    // The service refuses a size that it accepted before.
    if (this.#accepted >= size) this.#accepted = 0;
    // What was larger was a trial, or was sent before the limit fell.
    if (size <= this.#taken) this.#taken = Math.max(this.#accepted, Math.ceil(size / 2));
    this.#isTrying = false;
    this.#set(this.#taken);
  }

  accepted(size: number, now: number): void {
    this.#accepted = Math.max(this.#accepted, size);
    if (size >= this.#refused) this.#refused = this.#bound;
    if (size >= this.#bound) this.#bound = this.#refused = Number.POSITIVE_INFINITY;
    const least = this.#refused;
    // Also if the clock was set back.
    const isRested = Math.abs(now - this.#triedAt) > REST_MS;
    if (size > this.#taken)
      this.#taken = least === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : size;
    else if (size < this.#taken * NEAR || (this.#isTrying && !isRested)) return;
    const taken = this.#taken;
    let next = Math.ceil(least * (1 + CLOSE));
    if (this.#bound === Number.POSITIVE_INFINITY) next = Math.min(taken * RAISE, next);
    else if (!isRested) {
      // One refusal probably shows the limit. That size is tried again in the end.
      next = least - taken > least * CLOSE ? (taken + least) >> 1 : least < this.#bound ? least : taken;
    }
    this.#isTrying = next > taken;
    this.#set(next);
  }

  #set(most: number): void {
    if (most === this.most) return;
    this.most = most;
    this.#onChange();
  }
}
