import { type Clock, MAX_TIMER_MS, tried } from '@sluice/protocol/toolbox';
import type { FinishOptions } from './tell/stats.ts';

/** The end of a wait: a time-out, or a signal of the user before it. */
export interface Deadline {
  /** When the time-out ends, in milliseconds since 1970. */
  readonly at: number;
  /** Resolves when the work ends, or at the deadline. Keeps a Node process alive meanwhile, because a caller awaits it. */
  wait(work: Promise<unknown>): Promise<void>;
}

export interface Waits {
  readonly clock: Clock;
  /** Calls back when a signal aborts. Returns what stops this. Default: a listener of its own. */
  readonly onAbort?: ((signal: AbortSignal, callback: () => void) => () => void) | undefined;
}

/** Reads the options of `flush()` or `close()`. Instead of a wrong one, the default counts. */
export function createDeadline(
  { clock, onAbort = listen }: Waits,
  options: FinishOptions | undefined,
  defaultMs: number,
): Deadline {
  const { timeoutMs, signal }: FinishOptions = tried(() => ({ ...options })) ?? {};
  // Negative: a deadline that has passed.
  const isGiven = typeof timeoutMs === 'number' && timeoutMs >= Number.NEGATIVE_INFINITY;
  // A timer takes no more than this.
  const ms = Math.min(isGiven ? timeoutMs : defaultMs, MAX_TIMER_MS);
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = clock.setTimeout(end, ms, true);
  if (signal?.aborted) end();
  // A user's own signal may throw.
  const forget = tried(() => signal && onAbort(signal, end));
  return {
    at: clock.now() + ms,
    async wait(work) {
      try {
        await Promise.race([work, over]);
      } finally {
        timer.cancel();
        tried(() => forget?.());
      }
    },
  };
}

function listen(signal: AbortSignal, callback: () => void): () => void {
  signal.addEventListener('abort', callback);
  return () => signal.removeEventListener('abort', callback);
}
