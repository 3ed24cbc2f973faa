import { type Clock, MAX_TIMER_MS, type Timer } from './clock.ts';

/**
 * Resolves when `wake` is called or the signal aborts, whichever is first. Never rejects.
 *
 * @param start Receives `wake`. Returns a clean-up function, which is called when the wait ends, unless `start` itself ends it.
 */
export function untilWoken(signal: AbortSignal, start: (wake: () => void) => () => unknown): Promise<void> {
  return new Promise((resolve) => {
    let end: (() => unknown) | undefined;
    const wake = () => {
      end?.();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    signal.addEventListener('abort', wake);
    end = start(wake);
    if (signal.aborted) wake();
  });
}

/**
 * Waits for `delayMs` milliseconds, or until the signal aborts, whichever is first. Never rejects.
 *
 * @param keepAlive Whether a Node process stays alive meanwhile.
 */
export async function sleep(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal,
  keepAlive?: boolean,
): Promise<void> {
  await untilWoken(signal, (wake) => {
    const timer = clock.setTimeout(wake, delayMs, keepAlive);
    return () => timer.cancel();
  });
}

/** A signal that aborts after `delayMs` milliseconds, or with another one. */
export function abortAfter(
  clock: Clock,
  delayMs: number,
  other: AbortSignal,
): { readonly signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = clock.setTimeout(abort, Math.min(delayMs, MAX_TIMER_MS));
  if (other.aborted) abort();
  other.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    cancel() {
      timer.cancel();
      other.removeEventListener('abort', abort);
    },
  };
}

/**
 * Settles as the work does. If the work takes longer than `mostMs`, rejects with the error that `giveUp` returns.
 *
 * @param keepAlive Whether a Node process stays alive meanwhile.
 */
export async function inTime<Result>(
  clock: Clock,
  work: Promise<Result>,
  mostMs: number,
  giveUp: () => Error,
  keepAlive?: boolean,
): Promise<Result> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(giveUp()), mostMs, keepAlive);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}
