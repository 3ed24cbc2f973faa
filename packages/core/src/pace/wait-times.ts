import { type Backoff, backoffDelayMs } from '@sluice/protocol/toolbox';

/** How long a pause lasts before the service is asked again. The events are not at fault. */
const PAUSE: Backoff = { baseMs: 60_000, maxMs: 15 * 60_000 };
/** Longest Retry-After that is followed. After this, the service is asked again anyway. */
export const MAX_RETRY_AFTER_MS: number = 60 * 60_000;
/** The random part of a wait. It keeps clients with the same answer from asking at the same moment. */
const JITTER = 0.2;

/** A wait that doubles each time, up to its maximum, and up to a fifth more. */
function atLeastMs(times: number, backoff: Backoff, random: () => number): number {
  return Math.round(backoffDelayMs(times, backoff, () => 1 + JITTER * random()));
}

/** How long a pause lasts, in milliseconds, after so many others in a row. */
export function pauseMs(pauses: number, random: () => number): number {
  return Math.min(PAUSE.maxMs, atLeastMs(pauses, PAUSE, random));
}

/** How long to wait when the service asks for it, in milliseconds. */
export function askedMs(retryAfterMs: number, random: () => number): number {
  return atLeastMs(0, { baseMs: retryAfterMs, maxMs: MAX_RETRY_AFTER_MS }, random);
}

/** How long to wait before a probe of a failing service, in milliseconds. Once the longest wait is reached, never less. */
export function probeMs(failuresInARow: number, backoff: Backoff, random: () => number): number {
  const isLongest = backoffDelayMs(failuresInARow, backoff, () => 1) >= backoff.maxMs;
  return (isLongest ? atLeastMs : backoffDelayMs)(failuresInARow, backoff, random);
}
