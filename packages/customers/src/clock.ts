/** A running timer. */
export interface Timer {
  cancel(): void;
}

/** The source of time. Tests pass their own. It has the same shape as the tracker's `Clock`. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls `callback` after `delayMs` milliseconds. `keepAlive`: a caller awaits the timer. This package always passes true. */
  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer;
}

export const systemClock: Clock = {
  now: Date.now,
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `delayMs` milliseconds. Rejects with the signal's reason if the signal aborts first. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = clock.setTimeout(resolve, delayMs, true);
    signal.addEventListener('abort', () => {
      timer.cancel();
      reject(signal.reason);
    });
  });
}
