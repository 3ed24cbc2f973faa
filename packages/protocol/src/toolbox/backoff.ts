/** How the wait before the next retry grows. */
export interface Backoff {
  /** Upper bound of the first wait, in milliseconds. */
  readonly baseMs: number;
  /** Upper bound of every wait, in milliseconds. */
  readonly maxMs: number;
}

// After 64 doublings, any base in milliseconds has reached any bound. The limit prevents 2^1024, which is Infinity: with a base
// of 0, the product would be NaN.
const MAX_DOUBLINGS = 64;

/**
 * Returns the wait before retry number `failures` (from 0), with full jitter: uniform in [0, min(maxMs, baseMs * 2^failures)).
 * Without jitter, many clients that failed together would retry together
 * (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
 */
export function backoffDelayMs(failures: number, { baseMs, maxMs }: Backoff, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
}
