/** The first limit. Up to it, latency does not count: few answers say nothing about it. */
const BLIND = 4;
/** Once the limit no longer doubles, latency is checked after at least this many answers. */
const LEAST_ANSWERS = 20;
/** Latency is good up to `GOOD` times the base. Above `BAD` times the base, there are too many requests. */
const GOOD = 1.5;
const BAD = 2;
/** A request that takes longer no longer counts: it hangs. The bound is `SLOW` times the median, but at least `SLOW_MS`. */
const SLOW_MS = 1_000;
const SLOW = 4;
/** The base is measured again after this time, at a quarter of the limit: our own requests would raise it. */
const MEASURE_MS = 5 * 60_000;
const QUARTER = 4;

/** Decides how many requests to make at once: more while latency stays low and events wait. */
export class AdaptiveConcurrency {
  /** Includes requests that hang. */
  readonly #most: number;
  limit: number;
  #isStarting = true;
  /** The latency of a service that has little to do, in milliseconds; 0 if unknown. */
  #base = 0;
  #median = 0;
  #latencies: number[] = [];
  /** Whether events waited since the last check of latency. */
  #isShort = false;
  #measuredAt = 0;
  #loweredAt = Number.NEGATIVE_INFINITY;
  /** The limit from before the base was measured. */
  #before: number | undefined;

  /** @param most Maximum number of requests at once. */
  constructor(most: number) {
    this.#most = most;
    this.limit = Math.min(BLIND, most);
  }

  /** How long until one more may be made, in milliseconds; Infinity if a pending one must end first. */
  waitMs(pending: ReadonlySet<{ readonly at: number }>, now: number): number {
    const { size } = pending;
    if (size < this.limit) return 0;
    this.#isShort = true;
    if (size >= this.#most) return Number.POSITIVE_INFINITY;
    // Slow requests do not count: one more may be made once this one is slow.
    const [slow] = [...pending].slice(size - this.limit);
    return Math.max(0, (slow?.at ?? 0) + Math.max(SLOW_MS, SLOW * this.#median) - now);
  }

  /** A request was accepted after this time, in milliseconds. */
  accepted(latencyMs: number, now: number): void {
    // The clock was set back since.
    if (now < this.#loweredAt) this.#loweredAt = Number.NEGATIVE_INFINITY;
    // The request was made when there were more at once.
    if (now - latencyMs < this.#loweredAt) return;
    this.#latencies.push(Math.max(0, latencyMs));
    const { length } = this.#latencies;
    if (length < (this.#isStarting ? this.limit : Math.max(LEAST_ANSWERS, 2 * this.limit))) return;
    this.#median = [...this.#latencies].sort((one, other) => one - other)[length >> 1] ?? 0;
    this.#look(now);
    // Up to `BLIND` at once, the latest answers are kept: there may be no others for days.
    const isBlind = this.#isStarting && this.limit <= BLIND;
    this.#latencies = isBlind ? this.#latencies.slice(-LEAST_ANSWERS) : [];
    this.#isShort = false;
  }

  /** The service was away: begins with one request at a time. */
  restart(): void {
    this.limit = 1;
    this.#isStarting = true;
    this.#latencies = [];
    this.#before = undefined;
  }

  #look(now: number): void {
    if (this.#before !== undefined) {
      this.#base = this.#median;
      this.limit = this.#before;
      this.#before = undefined;
      return;
    }
    if (this.#base === 0 || (this.#isStarting && this.limit <= BLIND)) {
      this.#base = this.#median;
      this.#measuredAt = now;
    }
    const ratio = this.#median / Math.max(1, this.#base);
    if (ratio > GOOD) this.#isStarting = false;
    if (ratio > BAD) this.#set(this.limit * Math.max(0.5, 1.75 / ratio), now);
    else if (ratio <= GOOD && this.#isShort)
      this.#set(this.#isStarting ? this.limit * 2 : this.limit + 1, now);
    if (Math.abs(now - this.#measuredAt) < MEASURE_MS) return;
    this.#measuredAt = now;
    // Already as few as the base is measured with.
    if (this.limit < 2) this.#base = this.#median;
    else {
      this.#before = this.limit;
      this.#set(this.limit / QUARTER, now);
    }
  }

  #set(limit: number, now: number): void {
    const before = this.limit;
    this.limit = Math.max(1, Math.min(this.#most, Math.round(limit)));
    if (this.limit < before) this.#loweredAt = now;
  }
}
