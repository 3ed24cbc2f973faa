/** A timer that has been set. */
export interface Timer {
  cancel(): void;
}

/** Source of time. Tests pass their own. It has the shape of the tracker's clock. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  setTimeout(callback: () => void, delayMs: number): Timer;
}

/** The clock of the system. Its timers keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
