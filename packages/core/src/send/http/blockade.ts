/** A request that the browser blocks fails within this time, in milliseconds; one to a service that is away usually later. */
const AT_ONCE_MS = 50;
/** Failures in a row before requests may count as blocked. By then, a service that is away gets about one request a minute. */
const FAILURES = 8;

/**
 * Finds out whether something in the browser, for example an ad-blocker, blocks requests, or whether the service is away.
 * Blocked requests each fail at once, while other requests of the page succeed. This makes no request: it looks at those that
 * the page makes anyway.
 */
export class Blockade {
  #failures = 0;
  /** When the first of these failures began, as a time of `performance.now()`. */
  #since = 0;

  /** A request got an answer. */
  passed(): void {
    this.#failures = 0;
  }

  /** A request that began at a time of `performance.now()` failed. Returns whether such requests are blocked. */
  failed(at: number): boolean {
    if (performance.now() - at > AT_ONCE_MS || !navigator.onLine) this.#failures = 0;
    else if (++this.#failures === 1) this.#since = at;
    if (this.#failures < FAILURES) return false;
    const seen = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return seen.some(({ startTime, transferSize }) => startTime > this.#since && transferSize > 0);
  }
}
