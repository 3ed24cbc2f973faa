/** It begins with so many at once. Up to here latency is not looked at: so few answers say nothing about it. */
const BLIND = 4;
/** It is looked at after so many answers at least, once it no longer doubles. */
const LEAST_ANSWERS = 20;
/** Up to this many times the base, latency is as good as alone; beyond the second, there are too many requests. */
const GOOD = 1.5;
const BAD = 2;
/** What a request may take at most until it no longer counts: it hangs, or answers are slow. Or so many times the median. */
const SLOW_MS = 1_000;
const SLOW = 4;
/** The base is measured anew after this time, at a quarter of the concurrency: what queues by itself would raise it. */
const MEASURE_MS = 5 * 60_000;
const QUARTER = 4;

/** How many requests to make at once: more as long as latency holds and work waits. */
export class AdaptiveConcurrency {
  /** Also of those that hang. */
  readonly #most: number;
  #limit: number;
  #isStarting = true;
  /** The latency of a service that has little to do, in milliseconds; 0 if unknown. */
  #base = 0;
  #median = 0;
  #latencies: number[] = [];
  /** Whether work waited since latency was last looked at. */
  #isShort = false;
  #measuredAt = 0;
  #loweredAt = Number.NEGATIVE_INFINITY;
  /** The limit from before the base was measured. */
  #before: number | undefined;

  /** @param most Maximum number of requests at once. */
  constructor(most: number) {
    this.#most = most;
    this.#limit = Math.min(BLIND, most);
  }

  get limit(): number {
    return this.#limit;
  }

  /** How long until one more may be made, in milliseconds; Infinity if one of those under way must end first. */
  waitMs(underWay: ReadonlySet<{ readonly at: number }>, now: number): number {
    const { size } = underWay;
    if (size < this.#limit) return 0;
    this.#isShort = true;
    if (size >= this.#most) return Number.POSITIVE_INFINITY;
    // Those that take long do not count: the newest of them must be so old.
    const [slow] = [...underWay].slice(size - this.#limit);
    return Math.max(0, (slow?.at ?? 0) + Math.max(SLOW_MS, SLOW * this.#median) - now);
  }

  /** A request was accepted after this time, in milliseconds. */
  accepted(latencyMs: number, now: number): void {
    // The clock was set back since.
    if (now < this.#loweredAt) this.#loweredAt = Number.NEGATIVE_INFINITY;
    // It was made when there were more at once.
    if (now - latencyMs < this.#loweredAt) return;
    this.#latencies.push(latencyMs);
    const { length } = this.#latencies;
    if (length < (this.#isStarting ? this.#limit : Math.max(LEAST_ANSWERS, 2 * this.#limit))) return;
    this.#median = [...this.#latencies].sort((one, other) => one - other)[length >> 1] ?? 0;
    this.#look(now);
    // Up to BLIND at once, the latest ones count on: few answers say little, and there may be no more for days.
    const isBlind = this.#isStarting && this.#limit <= BLIND;
    this.#latencies = isBlind ? this.#latencies.slice(-LEAST_ANSWERS) : [];
    this.#isShort = false;
  }

  /** The service was away: begins with one request at a time. */
  restart(): void {
    this.#limit = 1;
    this.#isStarting = true;
    this.#latencies = [];
    this.#before = undefined;
  }

  #look(now: number): void {
    if (this.#before !== undefined) {
      this.#base = this.#median;
      this.#limit = this.#before;
      this.#before = undefined;
      return;
    }
    if (this.#base === 0 || (this.#isStarting && this.#limit <= BLIND)) {
      this.#base = this.#median;
      this.#measuredAt = now;
    }
    const ratio = this.#median / Math.max(1, this.#base);
    if (ratio > GOOD) this.#isStarting = false;
    if (ratio > BAD) this.#set(this.#limit * Math.max(0.5, 1.75 / ratio), now);
    else if (ratio <= GOOD && this.#isShort)
      this.#set(this.#isStarting ? this.#limit * 2 : this.#limit + 1, now);
    if (Math.abs(now - this.#measuredAt) < MEASURE_MS || this.#limit < QUARTER) return;
    this.#measuredAt = now;
    this.#before = this.#limit;
    this.#set(this.#limit / QUARTER, now);
  }

  #set(limit: number, now: number): void {
    const before = this.#limit;
    this.#limit = Math.max(1, Math.min(this.#most, Math.round(limit)));
    if (this.#limit < before) this.#loweredAt = now;
  }
}
