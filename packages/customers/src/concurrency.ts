import { untilWoken } from '@sluice/protocol/toolbox';

/** Runs work when fewer than the limit run. Rejects with the signal's reason if the signal aborts first. */
export type Limit = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * Makes a limit of `most` at once, 32 by default. What must wait runs in the order in which it came.
 *
 * @param later When to let the next one run after one has ended. By default, at once.
 */
export type ConcurrencyPart = (most?: number, later?: (next: () => void) => void) => Limit;

/**
 * For pages: `createCustomerReader({ …, concurrency: 2, parts: { concurrency } })`. Elsewhere, this is built in. A browser itself
 * limits its connections to a service.
 */
export const concurrency: ConcurrencyPart = (most = 32, later = (next) => next()) => {
  let free = most;
  /** Each call lets one of them run, in place of one that has ended. */
  const waiting = new Set<() => void>();
  const passOn = () => {
    const [next = () => (free += 1)] = waiting;
    next();
  };
  return async (signal, work) => {
    let mayRun = free > 0;
    if (mayRun) free -= 1;
    else
      await untilWoken(signal, (wake) => {
        const run = () => {
          mayRun = true;
          wake();
        };
        waiting.add(run);
        return () => waiting.delete(run);
      });
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      if (mayRun) later(passOn);
    }
  };
};
