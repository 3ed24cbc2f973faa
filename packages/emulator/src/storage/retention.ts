import type { Clock, Timer } from '@sluice/protocol/toolbox';
import type { Logger } from '../running/logger.ts';
import { unlessFailing } from './database.ts';
import type { EventStore } from './event-store.ts';
import type { RequestStore } from './request-store.ts';

const PERIOD_MS = 250;
/** How many events are kept if nobody has said how many. */
export const MOST_EVENTS = 1_000_000;
const MOST_REQUESTS = 200_000;
const MOST_REPEATS = 1_000_000;
// Rows to remove at once. That takes a few milliseconds, in which no request is served.
const AT_ONCE = 1_000;

/**
 * Removes the oldest events, repeats and requests beyond the limits, at intervals and a few at a time. Warns once if it removes
 * events although nobody has said how many to keep, and says once if it cannot. Returns a function that ends that.
 *
 * @param maxEvents Default 1,000,000; infinite for all.
 */
export function startRetention(
  events: EventStore,
  requests: RequestStore,
  maxEvents: number | undefined,
  logger: Logger,
  clock: Clock,
): () => void {
  let isTold = maxEvents !== undefined;
  /** Removes some rows. Returns whether there are more to remove. */
  const removeSome = (): boolean => {
    const { oldest, newest } = events.totals;
    const first = newest - (maxEvents ?? MOST_EVENTS) + 1;
    if (first > oldest && !isTold) {
      isTold = true;
      const how = 'to keep all, start it with --max-events all, or maxEvents: Infinity';
      logger.warn(
        { maxEvents: MOST_EVENTS },
        `old events are removed: the emulator keeps the newest; ${how}`,
      );
    }
    events.removeBefore(first, AT_ONCE);
    const hasMoreRequests = requests.removeBefore(requests.newest - MOST_REQUESTS + 1, AT_ONCE);
    const hasMoreRepeats = events.removeRepeats(MOST_REPEATS, AT_ONCE);
    return hasMoreRequests || hasMoreRepeats || first > events.totals.oldest;
  };
  let isFailureTold = false;
  const tellFailure = (error: unknown): void => {
    if (!isFailureTold)
      logger.error({ err: error }, 'old events cannot be removed; it is tried again and again');
    isFailureTold = true;
  };
  let timer: Timer;
  const next = (delayMs: number): void => {
    timer = clock.setTimeout(() => next(unlessFailing(removeSome, tellFailure) ? 0 : PERIOD_MS), delayMs);
  };
  next(PERIOD_MS);
  return () => timer.cancel();
}
