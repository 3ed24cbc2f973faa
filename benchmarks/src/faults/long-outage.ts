import type { Fault, FaultContext, FaultResult } from './fault.ts';
import type { MeasuredOutage, OutageSize } from './outage/measured-outage.ts';
import { measureApart } from './outage/measuring.ts';
import { outageTable } from './outage/outage-table.ts';
import { OUTAGES } from './outage/outages.ts';

/** Clients track less while the service is away, because only the backlog at the end matters. */
const FLEET = {
  away: { events: 8, everyMs: 4 * 60_000 },
  back: { events: 2, everyMs: 20_000 },
  capacity: 3,
};
const FLEETS: { readonly full: OutageSize; readonly quick: OutageSize } = {
  full: { ...FLEET, clients: 1_000, hours: 4, batchEvents: 25 },
  quick: { ...FLEET, clients: 100, hours: 1, batchEvents: 6 },
};
/** Refused connections, a time that the service asks for, and no answer. */
const FEW_OUTAGES = ['connections refused', '503, Retry-After: 60', 'no answer'];
/** More requests than this in one second are a herd. A multiple of the mean rate or the capacity, whichever is higher. */
const MOST_PEAK = 3;
/** Clients come back over a minute or more: 1 to 2 % in a second, and as many again by chance. Of 100, 9 do in one run of 60. */
const MOST_RETURN = 0.05;
const MOST_RETURN_OF_FEW = 10;
/** A client learns its share of the capacity through refusals: at its rate, one in four of its requests is refused. */
const MOST_REFUSED = 0.4;
/** Once all clients are back, they must use the capacity of the service. */
const MOST_DRAIN = 2.5;
/** Fresh events take turns with the backlog: they need two requests, at a rate of three in twenty seconds. */
const MOST_FRESH_MS = 15_000;
/** Some clients are refused several times in a row, and wait for a probe. */
const MOST_FRESH_P99_MS = 120_000;
/** In place of a time that was not measured. No demand allows it. */
const NEVER = Number.POSITIVE_INFINITY;

/** A service is away for hours, while many clients track on. Then it is back, and takes three times the usual requests. */
export const longOutage: Fault = { name: 'long-outage', run };

async function run({ isQuick, seed }: FaultContext): Promise<FaultResult> {
  const size = isQuick ? FLEETS.quick : FLEETS.full;
  const names = isQuick ? FEW_OUTAGES : OUTAGES.map(({ name }) => name);
  const outages = await measureApart({ names, size, seed });
  const sum = (of: (outage: MeasuredOutage) => number) =>
    outages.reduce((total, outage) => total + of(outage), 0);
  return {
    tries: outages.length,
    durable: sum(({ tracked }) => tracked),
    lost: sum(({ lost }) => lost),
    duplicates: sum(({ duplicates }) => duplicates),
    demand: `1 probe a minute, peak <= ${MOST_PEAK} x mean, fresh ones not starved, each event once`,
    problems: outages.flatMap((outage) => problemsOf(outage).map((what) => `${outage.name}: ${what}`)),
    details: outageTable(outages),
  };
}

function problemsOf(outage: MeasuredOutage): string[] {
  const { freshAge = { p50: NEVER, p99: NEVER }, drainSeconds = NEVER, ...rest } = outage;
  const isAmbiguous = outage.name === 'no answer';
  const demands: readonly [string, number, number][] = [
    ['duplicates', rest.duplicates, 0],
    ['events sent twice', isAmbiguous ? 0 : rest.maybeDuplicate, 0],
    ['probes of a client in a minute', rest.mostProbesInAMinute, 1],
    ['requests in a second', rest.peakRate, withChance(MOST_PEAK * Math.max(rest.meanRate, rest.capacity))],
    [
      'clients that come back in a second, as a part',
      rest.peakReturn,
      Math.max(MOST_RETURN, MOST_RETURN_OF_FEW / rest.clients),
    ],
    ['refused, as a part', rest.refused, MOST_REFUSED],
    [
      'seconds until the backlog is gone',
      drainSeconds,
      rest.returnSeconds + MOST_DRAIN * rest.leastDrainSeconds,
    ],
    ['age of fresh events, median, in ms', freshAge.p50, MOST_FRESH_MS],
    ['age of fresh events, p99, in ms', freshAge.p99, MOST_FRESH_P99_MS],
  ];
  const missed = demands.filter(([, found, most]) => !(found <= most));
  return [...missed.map(([what, found, most]) => `${what}: ${found}, at most ${most}`), ...rest.bookProblems];
}

/** The most requests in any second, if so many come on average. Exceeded one time in a thousand. */
function withChance(perSecond: number): number {
  return perSecond + 3 * Math.sqrt(perSecond);
}
