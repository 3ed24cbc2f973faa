import { type Backoff, backoffDelayMs } from '@sluice/protocol';

/** How long a pause lasts before the service is asked again. The events are not at fault. */
const PAUSE: Backoff = { baseMs: 60_000, maxMs: 15 * 60_000 };
/** For a wrong address, for example: that is not fixed soon. */
const SLOW_PAUSE: Backoff = { baseMs: 5 * 60_000, maxMs: 60 * 60_000 };
/** Longest Retry-After that is followed. After this, the service is asked again anyway. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Random part added to a wait, so that clients with the same answer do not all ask at the same moment. */
const JITTER = 0.2;
/** Random part added to the longest interval between probes, which is never shortened. */
const PROBE_JITTER = 0.5;

/** Longest time that a service is left alone because it asked for it, in milliseconds. */
export const LONGEST_WAIT_MS: number = MAX_RETRY_AFTER_MS * (1 + JITTER);

/**
 * How long a pause lasts, in milliseconds.
 *
 * @param pauses How many pauses came directly before.
 */
export function pauseMs(pauses: number, isSlow: boolean, random: () => number): number {
  const { baseMs, maxMs } = isSlow ? SLOW_PAUSE : PAUSE;
  return Math.round(Math.min(maxMs, baseMs * 2 ** pauses * (1 + JITTER * random())));
}

/** How long to wait when the service asks for it, in milliseconds. */
export function askedMs(retryAfterMs: number, random: () => number): number {
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) * (1 + JITTER * random());
}

/** How long to wait before a probe of a failing service, in milliseconds. Once the longest wait is reached, never less. */
export function probeMs(failuresInARow: number, backoff: Backoff, random: () => number): number {
  const isLongest = backoff.baseMs * 2 ** Math.min(failuresInARow, 64) >= backoff.maxMs;
  return isLongest
    ? backoff.maxMs * (1 + PROBE_JITTER * random())
    : backoffDelayMs(failuresInARow, backoff, random);
}
