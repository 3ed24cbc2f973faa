/** What refuses a request in the browser itself takes no longer, in milliseconds; a service that is away mostly does. */
const AT_ONCE_MS = 50;
/** Failures in a row. By then a service that is away is asked about once a minute. */
const FAILURES = 8;

/**
 * Tells requests that something in the browser blocks, as ad-blockers do, from those to a service that is away: each fails at
 * once, while other requests of the page succeed. That costs no request: it looks at those that the page makes anyway.
 */
export class Blockade {
  #failures = 0;
  /** When the first of the failures began, in milliseconds of the page's life. */
  #since = 0;

  /** A request was answered. */
  passed(): void {
    this.#failures = 0;
  }

  /** A request failed that began at a moment of the page's life. Returns whether such requests are blocked. */
  failed(at: number): boolean {
    if (performance.now() - at > AT_ONCE_MS || !navigator.onLine) this.#failures = 0;
    else if (++this.#failures === 1) this.#since = at;
    if (this.#failures < FAILURES) return false;
    const seen = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return seen.some(({ startTime, transferSize }) => startTime > this.#since && transferSize > 0);
  }
}
