import type { Clock } from '@sluice/core';

/** A clock that runs `scale` times as fast as real time, so that a test need not wait for half a minute. */
export function scaledClock(scale: number): Clock {
  const startedAt = Date.now();
  const origin = performance.now();
  return {
    now: () => startedAt + Math.round((performance.now() - origin) * scale),
    setTimeout(callback, delayMs, keepAlive = false) {
      const timer = setTimeout(callback, delayMs / scale);
      if (!keepAlive) timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
  };
}
