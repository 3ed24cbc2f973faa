/** How the wait before the next try grows. */
export interface Backoff {
  /** Upper bound of the first wait, in milliseconds. */
  readonly baseMs: number;
  /** Upper bound of every wait, in milliseconds. */
  readonly maxMs: number;
}

// Enough for any base to reach any bound, and short of 2^1024: zero times infinity is not a number.
const MAX_DOUBLINGS = 64;

/**
 * The wait before retry number `failures` (from 0), with full jitter: uniform in [0, min(maxMs, baseMs * 2^failures)).
 * Full jitter keeps many clients that failed together from coming back together
 * (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
 */
export function backoffDelayMs(failures: number, { baseMs, maxMs }: Backoff, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
}
