import { attempt } from '../base/user-code.ts';

/**
 * For hosts that freeze or end after each request: gives the host one promise for each burst of tracked events. For pages. In Node
 * and on the edge a tracker has this already.
 * @example createTracker({ ...options, waitUntil: (work) => context.waitUntil(work), parts: { waitUntil } });
 * @param flush Resolves once all events tracked by now are settled, or cannot be settled for now.
 * @returns `notify()`: an event was tracked. Calls `waitUntil` at once: hosts take no more work after the response.
 */
export function waitUntil(
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
  flush: () => Promise<unknown>,
  onFailed: (callback: string, error: unknown) => void,
): { notify(): void } | undefined {
  if (!waitUntil) return undefined;
  const failed = (error: unknown) => onFailed('waitUntil', error);
  let isUnderWay = false;
  let last: Promise<void> | undefined;
  const settle = async (before: Promise<void> | undefined) => {
    // One flush at a time, and none inside track().
    await before;
    // What is tracked from now on gets another promise. One for all would never resolve under steady traffic.
    isUnderWay = false;
    await flush();
  };
  return {
    notify() {
      if (isUnderWay) return;
      isUnderWay = true;
      const work = settle(last);
      last = work;
      attempt(() => waitUntil(work), failed);
    },
  };
}
