import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { PacedSettings, PacedSubject, PacedTold } from '../processes/paced-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/paced-process.js', import.meta.url);
const SUBJECTS: readonly PacedSubject[] = ['nothing', 'bare', 'default'];
const SECONDS = { full: 5, quick: 1 };
/** What is less than this cannot be told from the cost of the ticks. A ratio to less would mean nothing. */
const LEAST_CPU_US = 0.1;

/** The cost for a server that tracks at an even pace, far below the limit of a tracker. */
export const paced: Measurement = {
  name: 'paced',
  method:
    '2,000 events/s for 5 s: a timer of 5 ms tracks what is due. The bare loop posts what it has once that is 500 events, ' +
    'or a second after the first, as Sluice does. 20,000 events in turns of 500 and half a second of rest come before. CPU is ' +
    'user and system time of the process over that with nothing tracked, in the same round: the ticks cost about as much as the events. ' +
    `Less than ${LEAST_CPU_US} us count as ${LEAST_CPU_US}. The delay of the event loop is the 99th percentile of monitorEventLoopDelay, every 2 ms, over that with ` +
    'nothing tracked.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const receiver = await Receiving.start();
  try {
    const resultsOf = await inRounds(context.rounds, SUBJECTS, (subject, round) =>
      paceOnce(subject, round, receiver, context),
    );
    return rows(resultsOf);
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

async function paceOnce(
  subject: PacedSubject,
  round: number,
  receiver: Receiving,
  { directory, isQuick, execArgv, tell }: MeasurementContext,
): Promise<PacedTold> {
  const journalDirectory = join(directory, `${subject}-${round}`);
  const seconds = isQuick ? SECONDS.quick : SECONDS.full;
  const settings: PacedSettings = { subject, baseUrl: receiver.baseUrl, journalDirectory, seconds };
  await using process = new ForkedProcess<PacedTold>(SCRIPT, settings, execArgv);
  const measured = await process.expect('measured');
  await process.ended();
  await checkArrival(receiver, measured.tracked, `paced, ${subject}`);
  rmSync(journalDirectory, { recursive: true, force: true });
  const { delayP99Ms } = measured;
  tell(
    `paced, round ${round + 1}, ${subject}: ${cpuPerEvent(measured).toFixed(1)} us/event, p99 ${delayP99Ms.toFixed(2)} ms`,
  );
  return measured;
}

function rows(resultsOf: (subject: PacedSubject) => readonly PacedTold[]): readonly Row[] {
  const over = (subject: PacedSubject, figure: (told: PacedTold) => number) => {
    const nothing = resultsOf('nothing').map(figure);
    return resultsOf(subject).map((told, round) => figure(told) - (nothing[round] ?? Number.NaN));
  };
  const cpu = (subject: PacedSubject) =>
    over(subject, cpuPerEvent).map((added) => Math.max(LEAST_CPU_US, added));
  const cpuRow = (subject: PacedSubject, name: string) => ({
    name: `added CPU per event at 2,000 events/s, ${name}`,
    unit: 'us',
    values: cpu(subject),
  });
  const delayRow = (subject: PacedSubject, name: string) => ({
    name: `added event-loop delay p99 at 2,000 events/s, ${name}`,
    unit: 'ms',
    values: over(subject, ({ delayP99Ms }) => delayP99Ms),
  });
  return [
    makeRow({
      ...{ name: 'CPU per event at 2,000 events/s, nothing tracked', unit: 'us' },
      values: resultsOf('nothing').map(cpuPerEvent),
    }),
    makeRow(cpuRow('bare', 'the bare loop')),
    makeRow({
      ...cpuRow('default', 'default journal'),
      against: { name: 'the bare loop', values: cpu('bare') },
      demand: { of: 'ratio', bound: 'at most', limit: 1.5 },
    }),
    makeRow(delayRow('bare', 'the bare loop')),
    makeRow({
      ...delayRow('default', 'default journal'),
      demand: { of: 'value', bound: 'at most', limit: 2 },
    }),
  ];
}

function cpuPerEvent({ cpuMs, paced }: PacedTold): number {
  return (cpuMs * 1_000) / paced;
}
