import type { Demand } from '../demand.ts';
import { mixpanel } from '../peers/mixpanel.ts';
import { opentelemetry } from '../peers/opentelemetry.ts';
import type { Row } from '../row.ts';
import { bare, postingBare } from '../subjects/bare.ts';
import { always, byDefault, inMemory } from '../subjects/sluice.ts';
import type { Subject } from '../subjects/subject.ts';
import { TURN_EVENTS } from '../workload/drive.ts';
import { type BurstRow, burstRow, CPU, DELAY, DELIVERED, MEMORY } from './burst-rows.ts';
import { runBurst } from './burst-run.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

/** Of the events of a burst, as many again before it. */
export const WARM_UP_SHARE = 0.1;

const SUBJECTS = [bare, postingBare, byDefault, always, inMemory, mixpanel, opentelemetry];
const ROWS: readonly BurstRow[] = [
  { figure: DELIVERED, subject: bare },
  { figure: DELIVERED, subject: byDefault, against: bare, demand: ratioAtLeast(1.1) },
  { figure: DELIVERED, subject: always, against: bare, demand: ratioAtLeast(1) },
  { figure: DELIVERED, subject: inMemory, against: bare, demand: ratioAtLeast(1.25) },
  ...[mixpanel, opentelemetry].map((subject) => ({ figure: DELIVERED, subject, against: bare })),
  againstPeer(opentelemetry, 2.4),
  againstPeer(mixpanel, 1.4),
  { figure: DELIVERED, subject: postingBare, against: bare },
  {
    figure: DELIVERED,
    subject: byDefault,
    against: postingBare,
    name: `delivered, ${byDefault.name}, against ${postingBare.name}`,
  },
  { figure: CPU, subject: bare },
  { figure: CPU, subject: byDefault, against: bare, demand: { of: 'ratio', bound: 'at most', limit: 1 } },
  ...[mixpanel, opentelemetry].map((subject) => ({ figure: CPU, subject, against: bare })),
  { figure: MEMORY, subject: bare },
  { figure: MEMORY, subject: byDefault, demand: { of: 'value', bound: 'at most', limit: 96 } },
  ...[mixpanel, opentelemetry].map((subject) => ({ figure: MEMORY, subject })),
  { figure: DELAY, subject: bare },
  { figure: DELAY, subject: byDefault, demand: { of: 'value', bound: 'at most', limit: 15 } },
  ...[mixpanel, opentelemetry].map((subject) => ({ figure: DELAY, subject })),
];

/** A burst: how fast it is delivered, and what CPU, memory and delay that takes. */
export const burst: Measurement = {
  name: 'burst',
  method:
    `One loop tracks all events, ${TURN_EVENTS} and then a turn of the event loop, and so on, and flushes; the clock runs from the ` +
    'first track() to the last answer. A tenth as many events are delivered before, through the same tracker: ' +
    'a service is warm. CPU is user and system time of the sending process; memory is its peak resident set over that ' +
    'before its tracker is made; the delay is the longest of `monitorEventLoopDelay` at 1 ms, which shows about 1 ms ' +
    'where nothing is going on. The demands are against the bare loop that collects a burst and posts it at the end, as ' +
    'they were set; one that posts while it tracks is faster, as is shown.',
  subjects: SUBJECTS,
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const warmUp = context.events * WARM_UP_SHARE;
  const resultsOf = await inRounds(context.rounds, SUBJECTS, (subject, round) =>
    runBurst(subject, { ...context, warmUp, round }),
  );
  return ROWS.map((row) => burstRow(resultsOf, row));
}

function ratioAtLeast(limit: number): Demand {
  return { of: 'ratio', bound: 'at least', limit };
}

function againstPeer(peer: Subject, limit: number): BurstRow {
  const name = `delivered, ${byDefault.name}, against ${peer.name}`;
  return { figure: DELIVERED, subject: byDefault, against: peer, demand: ratioAtLeast(limit), name };
}
