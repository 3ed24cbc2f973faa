/** The longest delay that timers accept: 2^31 - 1 ms. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** A timer that was set. */
export interface Timer {
  cancel(): void;
}

/** A source of time. Tests pass a virtual clock. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /**
   * Calls back after `delayMs` milliseconds. A timer does not keep a Node process alive,
   * unless `keepAlive` is true, because a caller awaits it.
   */
  setTimeout(callback: () => void, delayMs: number, keepAlive?: boolean): Timer;
}

// As they are at import: tests that replace them later do not stop what is under way.
const { clearTimeout, setTimeout } = globalThis;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs, keepAlive) {
    const timer = setTimeout(callback, delayMs);
    // Only Node's timers keep a process alive. In a browser, a timer is a number.
    if (!keepAlive) timer.unref?.();
    return { cancel: () => clearTimeout(timer) };
  },
};
