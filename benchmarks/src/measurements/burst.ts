import type { Demand } from '../demand.ts';
import { mixpanel } from '../peers/mixpanel.ts';
import { opentelemetry } from '../peers/opentelemetry.ts';
import { bare, collecting } from '../subjects/bare.ts';
import { always, byDefault, inMemory } from '../subjects/sluice.ts';
import { TURN_EVENTS } from '../workload/drive.ts';
import { burstName, CPU, DELAY, DELIVERED, MEMORY, ratioRow } from './burst-rows.ts';
import { type Comparison, compare, comparisonOf } from './comparison.ts';
import type { Measurement } from './measurement.ts';

const SDKS = [mixpanel, opentelemetry];
const NO_MORE_CPU: Demand = { of: 'ratio', bound: 'at most', limit: 1 };

/** Name of the row with the default journal against the bare loop. */
export const DELIVERED_ROW: string = burstName(DELIVERED, byDefault);

/** All subjects that are fast enough for a long burst, and the ratios between them. */
export const BURST_COMPARISON: Comparison = comparisonOf(200_000, [
  { figure: DELIVERED, subject: bare },
  { figure: DELIVERED, subject: byDefault, against: bare, demand: ratioAtLeast(1.1) },
  { figure: DELIVERED, subject: always, against: bare, demand: ratioAtLeast(1) },
  { figure: DELIVERED, subject: inMemory, against: bare, demand: ratioAtLeast(1.25) },
  ...SDKS.map((subject) => ({ figure: DELIVERED, subject, against: bare })),
  ratioRow(DELIVERED, byDefault, opentelemetry, ratioAtLeast(2.4)),
  ratioRow(DELIVERED, byDefault, mixpanel, ratioAtLeast(1.4)),
  { figure: DELIVERED, subject: collecting, against: bare },
  ratioRow(DELIVERED, byDefault, collecting, ratioAtLeast(1.1)),
  ratioRow(DELIVERED, always, collecting, ratioAtLeast(1)),
  ratioRow(DELIVERED, inMemory, collecting, ratioAtLeast(1.25)),
  { figure: CPU, subject: bare },
  { figure: CPU, subject: byDefault, against: bare, demand: NO_MORE_CPU },
  { figure: CPU, subject: always, against: bare },
  { figure: CPU, subject: inMemory, against: bare },
  ...SDKS.map((subject) => ({ figure: CPU, subject, against: bare })),
  { figure: CPU, subject: collecting, against: bare },
  ratioRow(CPU, byDefault, collecting, NO_MORE_CPU),
  { figure: MEMORY, subject: bare },
  {
    ...{ figure: MEMORY, subject: byDefault, against: bare },
    demand: { of: 'value', bound: 'at most', limit: 96 },
  },
  ...[always, inMemory, ...SDKS, collecting].map((subject) => ({ figure: MEMORY, subject, against: bare })),
  { figure: DELAY, subject: bare },
  {
    ...{ figure: DELAY, subject: byDefault, against: bare },
    demand: { of: 'value', bound: 'at most', limit: 15 },
  },
  ...[...SDKS, collecting].map((subject) => ({ figure: DELAY, subject, against: bare })),
]);

/** A burst: how fast it is delivered, and how much CPU, memory and delay it takes. */
export const burst: Measurement = {
  name: 'burst',
  method:
    `One loop tracks all events, ${TURN_EVENTS} and then a turn of the event loop, and so on, and flushes; the clock runs from the ` +
    'first track() to the last answer. A tenth as many events are delivered before, through the same tracker: ' +
    'a service is warm. CPU is user and system time of the sending process; memory is its peak resident set over that ' +
    'before its tracker is made; the delay is the longest of `monitorEventLoopDelay` at 1 ms, which shows about 1 ms ' +
    'where nothing is going on. The bare loop posts each batch as soon as it is full, while it tracks on; it keeps nothing on disk, ' +
    'and an event that is not answered is gone. The demands were once set against a loop that posts nothing before flush(). They ' +
    'are held against both loops.',
  subjects: BURST_COMPARISON.subjects,
  run: (context) => compare(BURST_COMPARISON, context),
};

function ratioAtLeast(limit: number): Demand {
  return { of: 'ratio', bound: 'at least', limit };
}
