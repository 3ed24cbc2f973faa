import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { measureOutage, type OutageSize } from './outage/measured-outage.ts';
import { outageTable } from './outage/outage-table.ts';
import { CONNECTIONS_REFUSED } from './outage/outages.ts';

const ALONE = { clients: 1, batchEvents: 500, back: { events: 10, everyMs: 1_000 }, capacity: 20 };
const DAYS: { readonly full: OutageSize; readonly quick: OutageSize } = {
  full: { ...ALONE, hours: 24, away: { events: 500, everyMs: 21_600 } },
  quick: { ...ALONE, hours: 2, away: { events: 500, everyMs: 21_600 } },
};
/** Fresh events take turns with the backlog: they wait for one request of it, and its retries. */
const MOST_FRESH_OF_ONE_MS = 10_000;

/** One client has a backlog of one day, two million events, and continues to track while these are delivered. */
export const dayOfBacklog: Fault = { name: 'day-of-backlog', run };

async function run({ isQuick, seed }: FaultContext): Promise<FaultResult> {
  const outage = await measureOutage(CONNECTIONS_REFUSED, isQuick ? DAYS.quick : DAYS.full, seed);
  const { tracked, lost, duplicates, bookProblems, freshAge } = outage;
  const problems = [...bookProblems];
  if (duplicates > 0) problems.push(`${duplicates} duplicates`);
  if (outage.drainSeconds === undefined) problems.push('the backlog was not delivered within an hour');
  if (freshAge === undefined) problems.push('no fresh event was tracked while the backlog waited');
  else if (!(freshAge.p99 <= MOST_FRESH_OF_ONE_MS))
    problems.push(`age of fresh events, p99: ${freshAge.p99} ms`);
  return {
    ...{ tries: 1, durable: tracked, lost, duplicates, problems },
    demand: `99 % of fresh events wait for less than ${MOST_FRESH_OF_ONE_MS / 1_000} s behind a day of others`,
    details: outageTable([outage]),
  };
}
