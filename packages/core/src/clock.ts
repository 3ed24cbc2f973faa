/** A timer that was set. */
export interface Timer {
  cancel(): void;
}

/** Time as the tracker sees it. Tests pass a virtual one. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /**
   * Calls back after `delayMs` milliseconds. A timer does not keep a Node process alive,
   * unless `keepAlive` says that somebody awaits it.
   */
  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer;
}

/** The most that timers take: 2^31 - 1 ms. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Waits on a clock, or until the signal aborts, whichever is first. Never rejects. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      timer.cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = clock.setTimeout(wake, delayMs);
    signal.addEventListener('abort', wake);
  });
}

/** A signal that aborts after a while, or with another one. Without a time it is the other one. */
export function abortAfter(
  clock: Clock,
  delayMs: number | undefined,
  other: AbortSignal,
): { readonly signal: AbortSignal; cancel(): void } {
  if (delayMs === undefined || other.aborted) return { signal: other, cancel: () => {} };
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = clock.setTimeout(abort, Math.min(delayMs, MAX_TIMER_MS));
  other.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    cancel: () => {
      timer.cancel();
      other.removeEventListener('abort', abort);
    },
  };
}
