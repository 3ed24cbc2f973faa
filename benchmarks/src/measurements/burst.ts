import type { Demand } from '../demand.ts';
import { makeRow, type Row } from '../row.ts';
import { bare } from '../subjects/bare.ts';
import { always, byDefault, inMemory } from '../subjects/sluice.ts';
import { TURN_EVENTS } from '../workload/drive.ts';
import { type BurstResult, runBurst } from './burst-run.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const MIB = 1024 * 1024;
/** Of the events of a burst, as many again before it. */
const WARM_UP_SHARE = 0.1;

const NAMES = {
  bare: bare.name,
  default: 'default journal',
  always: "fsync: 'always'",
  memory: "journal: 'memory'",
};
type Name = keyof typeof NAMES;
const SUBJECTS = { bare, default: byDefault, always, memory: inMemory };

/** A burst: how fast it is delivered, and what CPU, memory and delay that takes. */
export const burst: Measurement = {
  name: 'burst',
  method:
    `One loop tracks all events, ${TURN_EVENTS} and then a turn of the event loop, and so on, and flushes; the clock runs from the ` +
    'first track() to the last answer. A tenth as many events are delivered and counted before, through the same tracker: ' +
    'a service is warm. CPU is user and system time of the sending process; memory is its peak resident set over that ' +
    'before its tracker is made; the delay is the longest of `monitorEventLoopDelay` at 1 ms, which shows about 1 ms ' +
    'where nothing is going on.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const { rounds, events } = context;
  const warmUp = events * WARM_UP_SHARE;
  const names: readonly Name[] = ['bare', 'default', 'always', 'memory'];
  const resultsOf = await inRounds(rounds, names, (name, round) =>
    runBurst(SUBJECTS[name], { ...context, warmUp, round }),
  );
  return rows((name, figure) => resultsOf(name).map(figure));
}

function rows(
  valuesOf: (name: Name, figure: (result: BurstResult) => number) => readonly number[],
): readonly Row[] {
  /** Rows of one figure of some subjects, each with its demand, and before them that of the bare loop. */
  const rowsOf = (
    title: string,
    unit: string,
    figure: (result: BurstResult) => number,
    demands: Partial<Record<Name, Demand>>,
  ) => {
    const against = { name: bare.name, values: valuesOf('bare', figure) };
    const others = (Object.entries(demands) as [Name, Demand][]).map(([name, demand]) =>
      makeRow({ name: `${title}, ${NAMES[name]}`, unit, values: valuesOf(name, figure), against, demand }),
    );
    return [makeRow({ name: `${title}, ${bare.name}`, unit, values: against.values }), ...others];
  };
  return [
    ...rowsOf('delivered', 'events/s', ({ perSecond }) => perSecond, {
      default: { of: 'ratio', bound: 'at least', limit: 1.1 },
      always: { of: 'ratio', bound: 'at least', limit: 1 },
      memory: { of: 'ratio', bound: 'at least', limit: 1.25 },
    }),
    ...rowsOf('CPU per event', 'us', ({ cpuMs, events }) => (cpuMs * 1000) / events, {
      default: { of: 'ratio', bound: 'at most', limit: 1 },
    }),
    ...rowsOf('peak memory over start', 'MiB', ({ peakBytes }) => peakBytes / MIB, {
      default: { of: 'value', bound: 'at most', limit: 96 },
    }),
    ...rowsOf('longest event-loop delay', 'ms', ({ longestDelayMs }) => longestDelayMs, {
      default: { of: 'value', bound: 'at most', limit: 15 },
    }),
  ];
}
