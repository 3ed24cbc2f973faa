import type { Clock } from '@sluice/core';

/** A clock that runs `scale` times as fast as ours: what waits for half a minute is then seen in a second or two. */
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
