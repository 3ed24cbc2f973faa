/** A timer that has been set. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from. Tests pass one of their own; it has the shape of the tracker's. */
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
