import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { WaitingSettings, WaitingTold } from '../processes/backlog-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { type Figures, makeRow, type Row } from '../row.ts';
import type { Size } from '../size.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/backlog-process.js', import.meta.url);
const MIB = 1024 * 1024;
const BACKLOGS = ['1000', '10000', '100000', '1000000'] as const;
const QUICK_BACKLOGS = ['1000', '10000'] as const;
const TIMED = { full: 20_000, quick: 2_000 };
const SMALLEST = '1000';
const LARGEST = '1000000';
/** Enough for the compiler to settle before the memory of a small backlog is measured. */
const WARM_UP = 100_000;

type Backlog = (typeof BACKLOGS)[number];

/** Whether the cost of track() and the memory depend on the size of the backlog. */
export const backlog: Measurement = {
  name: 'backlog',
  method:
    'The service is away, and events are tracked in turns of 500 with setImmediate between them until the backlog waits, all ' +
    'of it in the journal. Then 20,000 more are tracked in the same way, and the time inside the loops that track is counted. ' +
    `Before the backlog, ${WARM_UP.toLocaleString('en')} events through another tracker, with a buffer of 1 MiB, warm up the process. After it, so many ` +
    'go through a third tracker that each process has tracked the same number before the timed ones. Memory is the resident set ' +
    'with the backlog waiting, before that third tracker, over that before any tracker is made.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const backlogs = backlogsOf(context);
  const resultsOf = await inRounds(context.rounds, backlogs, (waiting, round) =>
    waitOnce(waiting, round, context),
  );
  const cost = (waiting: Backlog) => resultsOf(waiting).map(({ nsPerEvent }) => nsPerEvent);
  const memory = (waiting: Backlog) => resultsOf(waiting).map(({ heldBytes }) => heldBytes / MIB);
  return [
    ...backlogs.map((waiting) => makeRow({ ...costFigures(waiting, cost), size: sizeOf(context) })),
    ...backlogs.map((waiting) =>
      makeRow({ name: `memory over start, ${describe(waiting)}`, unit: 'MiB', values: memory(waiting) }),
    ),
  ];
}

function costFigures(waiting: Backlog, cost: (waiting: Backlog) => readonly number[]): Figures {
  const row = { name: `track(), ${describe(waiting)}`, unit: 'ns', values: cost(waiting) };
  if (waiting === SMALLEST) return row;
  const against = { name: describe(SMALLEST), values: cost(SMALLEST) };
  if (waiting !== LARGEST) return { ...row, against };
  return { ...row, against, demand: { of: 'ratio', bound: 'at most', limit: 1.1 } };
}

async function waitOnce(waiting: Backlog, round: number, context: MeasurementContext): Promise<WaitingTold> {
  const { execArgv, tell } = context;
  const directory = join(context.directory, `${waiting}-${round}`);
  const { events: timed, warmUp: before } = sizeOf(context);
  const others = before - WARM_UP - Number(waiting);
  const settings: WaitingSettings = { directory, warmUp: WARM_UP, waiting: Number(waiting), others, timed };
  await using process = new ForkedProcess<WaitingTold>(SCRIPT, settings, execArgv);
  const measured = await process.expect('measured');
  await process.ended();
  const expected = settings.waiting + timed;
  if (measured.pending !== expected)
    throw new Error(`backlog: ${expected} events were tracked, ${measured.pending} wait`);
  rmSync(directory, { recursive: true, force: true });
  const ns = Math.round(measured.nsPerEvent);
  tell(`backlog, round ${round + 1}, ${waiting}: ${ns} ns, ${Math.round(measured.heldBytes / MIB)} MiB`);
  return measured;
}

function backlogsOf({ isQuick }: MeasurementContext): readonly Backlog[] {
  return isQuick ? QUICK_BACKLOGS : BACKLOGS;
}

/** The timed events, and all that each process has tracked before them: the largest backlog with its warm-up. */
function sizeOf(context: MeasurementContext): Size {
  const most = Math.max(...backlogsOf(context).map(Number));
  return { events: context.isQuick ? TIMED.quick : TIMED.full, warmUp: WARM_UP + most };
}

function describe(waiting: Backlog): string {
  return `backlog of ${Number(waiting).toLocaleString('en')}`;
}
