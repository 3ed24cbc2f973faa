import type { TrackerOptions } from '../options/options.ts';
import type { TrackerStats } from '../tell/stats.ts';

/** A process is warned once. */
let isWarned = false;

/**
 * Warns if `identify()` names a second customer while events of the first wait: on a server, requests of several users run at the
 * same time, and each event would get the customer who was named last.
 */
export function warnOfUsers(
  logger: TrackerOptions['logger'],
  stats: () => TrackerStats,
  before: string | undefined,
  customer: string,
): unknown {
  if (isWarned || logger === false || before === undefined || before === customer) return undefined;
  if (stats().pending === 0) return undefined;
  isWarned = true;
  const message =
    'Sluice: identify() named a second customer while events wait. For many customers use tracker.for(customer).track()';
  return logger ? logger.warn({}, message) : console.warn(message);
}
