import { type Backoff, backoffDelayMs } from '@sluice/protocol';

/** While nothing is wrong with the events: how long until the service is asked again. */
const PAUSE: Backoff = { baseMs: 60_000, maxMs: 15 * 60_000 };
/** An address does not mend itself. */
const SLOW_PAUSE: Backoff = { baseMs: 5 * 60_000, maxMs: 60 * 60_000 };
/** A service that asks for more is asked again after this all the same. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Spread over clients that were all told the same. */
const JITTER = 0.2;
/** Spread over clients that ask again at the longest interval: it is never less. */
const PROBE_JITTER = 0.5;

/** Longer than this, in milliseconds, no service is left alone. */
export const LONGEST_WAIT_MS: number = MAX_RETRY_AFTER_MS * (1 + JITTER);

/** How long to wait where nothing is wrong with the events, in milliseconds. @param pauses How many came before, one after the other. */
export function pauseMs(pauses: number, isSlow: boolean, random: () => number): number {
  const { baseMs, maxMs } = isSlow ? SLOW_PAUSE : PAUSE;
  return Math.round(Math.min(maxMs, baseMs * 2 ** pauses * (1 + JITTER * random())));
}

/** How long to wait where the service asks for it, in milliseconds. */
export function askedMs(retryAfterMs: number, random: () => number): number {
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) * (1 + JITTER * random());
}

/** How long to wait before a service that fails is asked again. Never less than the longest wait, once that is reached. */
export function probeMs(failuresInARow: number, backoff: Backoff, random: () => number): number {
  const isLongest = backoff.baseMs * 2 ** Math.min(failuresInARow, 64) >= backoff.maxMs;
  return isLongest
    ? backoff.maxMs * (1 + PROBE_JITTER * random())
    : backoffDelayMs(failuresInARow, backoff, random);
}
