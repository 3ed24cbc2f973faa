import { MAX_TIMER_MS } from '@sluice/protocol';

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

/**
 * Resolves when it is woken, or the signal aborts, whichever is first. Never rejects.
 *
 * @param start Is given how to wake it. Returns what is to be done once it is awake.
 */
export function untilWoken(signal: AbortSignal, start: (wake: () => void) => () => unknown): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      end();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const end = start(wake);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake);
  });
}

/** Waits on a clock, or until the signal aborts, whichever is first. Never rejects. */
export async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  await untilWoken(signal, (wake) => {
    const timer = clock.setTimeout(wake, delayMs);
    return () => timer.cancel();
  });
}

/** A signal that aborts after a while, where a time is given, or with another one. */
export function abortAfter(
  clock: Clock,
  delayMs: number | undefined,
  ...others: readonly AbortSignal[]
): { readonly signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = delayMs === undefined ? undefined : clock.setTimeout(abort, Math.min(delayMs, MAX_TIMER_MS));
  for (const other of others) {
    if (other.aborted) abort();
    other.addEventListener('abort', abort);
  }
  return {
    signal: controller.signal,
    cancel: () => {
      timer?.cancel();
      for (const other of others) other.removeEventListener('abort', abort);
    },
  };
}

/** As the work; where that takes longer, rejects with what `giveUp` returns. */
export async function inTime<Result>(
  clock: Clock,
  work: Promise<Result>,
  mostMs: number,
  giveUp: () => Error,
): Promise<Result> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(giveUp()), mostMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}
