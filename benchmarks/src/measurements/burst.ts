import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { BurstSettings, BurstTold, Subject } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/burst-process.js', import.meta.url);
const MIB = 1024 * 1024;
const BARE = 'the bare loop';
const SUBJECTS: readonly Subject[] = ['bare', 'default', 'always', 'memory'];
const NAMES = { default: 'default journal', always: "fsync: 'always'", memory: "journal: 'memory'" };
/** Of the ratio to the bare loop, which has no journal and does not try again. */
const LEAST_RATIO = { default: 1.1, always: 1, memory: 1.25 };

/** A burst in one loop: how fast it is delivered, and what CPU and memory that takes. */
export const burst: Measurement = {
  name: 'burst',
  method:
    'All events are tracked in one synchronous loop; the clock stops when flush() resolves, or when the bare loop has ' +
    'its last answer. The bare loop makes the same envelope (uuid, time), JSON.stringify, and posts batches of 500 with ' +
    'undici on 4 connections; it has no journal, no retry and no bound. CPU is user and system time of the sending ' +
    'process; memory is its peak resident set over that before its tracker is made.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const receiver = await Receiving.start();
  try {
    const resultsOf = await inRounds(context.rounds, SUBJECTS, (subject, round) =>
      burstOnce(subject, round, receiver, context),
    );
    return rows((subject, figure) => resultsOf(subject).map(figure), context.events);
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

async function burstOnce(
  subject: Subject,
  round: number,
  receiver: Receiving,
  { events, directory, execArgv, tell }: MeasurementContext,
): Promise<BurstTold> {
  const journalDirectory = join(directory, `${subject}-${round}`);
  const settings: BurstSettings = { subject, baseUrl: receiver.baseUrl, journalDirectory, events };
  await using process = new ForkedProcess<BurstTold>(SCRIPT, settings, execArgv);
  const measured = await process.expect('measured');
  await process.ended();
  await checkArrival(receiver, events, `burst, ${subject}`);
  rmSync(journalDirectory, { recursive: true, force: true });
  tell(`burst, round ${round + 1}, ${subject}: ${Math.round(perSecond(events, measured))} events/s`);
  return measured;
}

function rows(
  valuesOf: (subject: Subject, figure: (measured: BurstTold) => number) => readonly number[],
  events: number,
): readonly Row[] {
  const speed = (subject: Subject) => valuesOf(subject, (measured) => perSecond(events, measured));
  const cpu = (subject: Subject) => valuesOf(subject, ({ cpuMs }) => (cpuMs * 1000) / events);
  const memory = (subject: Subject) => valuesOf(subject, ({ peakBytes }) => peakBytes / MIB);
  const against = (figures: (subject: Subject) => readonly number[]) => ({
    name: BARE,
    values: figures('bare'),
  });
  const delivered = (['default', 'always', 'memory'] as const).map((subject) =>
    makeRow({
      name: `delivered, ${NAMES[subject]}`,
      unit: 'events/s',
      values: speed(subject),
      against: against(speed),
      demand: { of: 'ratio', bound: 'at least', limit: LEAST_RATIO[subject] },
    }),
  );
  return [
    makeRow({ name: `delivered, ${BARE}`, unit: 'events/s', values: speed('bare') }),
    ...delivered,
    makeRow({ name: `CPU per event, ${BARE}`, unit: 'us', values: cpu('bare') }),
    makeRow({
      name: 'CPU per event, default journal',
      unit: 'us',
      values: cpu('default'),
      against: against(cpu),
      demand: { of: 'ratio', bound: 'at most', limit: 1 },
    }),
    makeRow({ name: `peak memory over start, ${BARE}`, unit: 'MiB', values: memory('bare') }),
    makeRow({
      name: 'peak memory over start, default journal',
      unit: 'MiB',
      values: memory('default'),
      against: against(memory),
      demand: { of: 'value', bound: 'at most', limit: 96 },
    }),
  ];
}

function perSecond(events: number, { elapsedMs }: BurstTold): number {
  return events / (elapsedMs / 1000);
}
