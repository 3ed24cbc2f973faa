import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { BacklogSettings, BacklogTold } from '../processes/measured-messages.ts';
import { NOBODY } from '../processes/nobody.ts';
import type { PostingSettings, PostingTold } from '../processes/posting-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { writeReadyBodies } from '../workload/ready-bodies.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const LEAVING = new URL('../processes/leaving-process.js', import.meta.url);
const RECOVERING = new URL('../processes/recovering-process.js', import.meta.url);
const POSTING = new URL('../processes/posting-process.js', import.meta.url);
const EVENTS = { full: 1_000_000, quick: 100_000 };
/** Names of the rows about a process that finds a backlog. */
export const FIRST_REQUEST_ROW = 'first batch in flight, of a backlog';
export const PEAK_MEMORY_ROW = 'peak memory, of a backlog';
const SUBJECTS = ['posted', 'recovered'] as const;
const MB = 1_000_000;

interface Delivery {
  readonly firstRequestMs: number;
  readonly perSecond: number;
  readonly peakMb: number;
}

/** How soon and how fast a process delivers a backlog that it finds, and how much memory that takes. */
export const recovery: Measurement = {
  name: 'recovery',
  method:
    'A process that cannot reach the service leaves 1,000,000 events in its journal and is killed. A fresh one opens that ' +
    'journal: the time from createTracker to the head of the first request at the receiver, the time until flush() resolves, ' +
    'and the most memory that the process held. Against it, another posts the same number of events, ready bodies of 500 ' +
    'that are read from one file into kept Buffers, with undici on 4 connections.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const events = context.isQuick ? EVENTS.quick : EVENTS.full;
  const path = join(context.directory, 'bodies');
  const lengths = writeReadyBodies(path, events);
  const resultsOf = await inRounds(context.rounds, SUBJECTS, async (subject, round) => {
    await using receiver = await Receiving.start();
    const settings = { baseUrl: receiver.baseUrl, path, lengths };
    const delivery =
      subject === 'posted'
        ? await post(settings, events, receiver, context)
        : await recover(join(context.directory, String(round)), events, receiver, context);
    const perSecond = Math.round(delivery.perSecond);
    context.tell(`recovery, round ${round + 1}, ${subject}: ${perSecond} events/s`);
    return delivery;
  });
  const values = (subject: (typeof SUBJECTS)[number], figure: keyof Delivery) =>
    resultsOf(subject).map((delivery) => delivery[figure]);
  const size = { events, warmUp: 0 };
  const most = { of: 'value', bound: 'at most', limit: 150 } as const;
  const ready = { name: 'drain, ready bodies from one file', values: values('posted', 'perSecond') };
  return [
    makeRow({
      ...{ name: FIRST_REQUEST_ROW, unit: 'ms', size },
      ...{ values: values('recovered', 'firstRequestMs'), demand: most },
    }),
    makeRow({
      ...{ name: PEAK_MEMORY_ROW, unit: 'MB', size },
      ...{ values: values('recovered', 'peakMb'), demand: most },
    }),
    makeRow({ ...ready, unit: 'events/s', size }),
    makeRow({
      ...{ name: 'drain, of a backlog', unit: 'events/s', size, values: values('recovered', 'perSecond') },
      against: ready,
      demand: { of: 'ratio', bound: 'at least', limit: 0.6 },
    }),
  ];
}

async function post(
  settings: PostingSettings,
  events: number,
  receiver: Receiving,
  { execArgv }: MeasurementContext,
): Promise<Delivery> {
  await using posting = new ForkedProcess<PostingTold>(POSTING, settings, execArgv);
  const { elapsedMs } = await posting.expect('posted');
  await posting.ended();
  await checkArrival(receiver, events, 'recovery, ready bodies');
  return { firstRequestMs: Number.NaN, perSecond: (events * 1_000) / elapsedMs, peakMb: Number.NaN };
}

async function recover(
  journalDirectory: string,
  events: number,
  receiver: Receiving,
  { execArgv, tell }: MeasurementContext,
): Promise<Delivery> {
  await leave({ baseUrl: NOBODY, journalDirectory, events });
  const settings = { baseUrl: receiver.baseUrl, journalDirectory, events };
  await using recovering = new ForkedProcess<BacklogTold>(RECOVERING, settings, execArgv);
  const { createdAt, deliveredAt, peakBytes, memoryCurve } = await recovering.expect('delivered');
  await recovering.ended();
  const firstRequestMs = (await checkArrival(receiver, events, 'recovery')) - createdAt;
  const curve = memoryCurve.map((bytes) => Math.round(bytes / MB)).join(', ');
  tell(`recovery, first batch after ${Math.round(firstRequestMs)} ms; resident MB every 250 ms: ${curve}`);
  rmSync(journalDirectory, { recursive: true, force: true });
  const perSecond = (events * 1_000) / (deliveredAt - createdAt);
  return { firstRequestMs, perSecond, peakMb: peakBytes / MB };
}

/** Leaves a backlog. The process that tracks it is killed once all of it is in the journal. */
async function leave(settings: BacklogSettings): Promise<void> {
  await using leaving = new ForkedProcess<BacklogTold>(LEAVING, settings);
  await leaving.expect('left');
}
