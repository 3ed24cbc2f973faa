/** A timer that has been set. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from. Tests pass one of their own; it has the shape of the tracker's. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls back after `delayMs` milliseconds. `keepAlive` says that somebody awaits it, as is always so here. */
  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer;
}

export const systemClock: Clock = {
  now: Date.now,
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Waits on a clock, or rejects with the signal's reason. */
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
