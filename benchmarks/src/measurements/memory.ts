import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { MemorySettings, MemoryTold } from '../processes/memory-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/memory-process.js', import.meta.url);
const MIB = 1024 * 1024;
const BURSTS = ['small', 'large'] as const;
const EVENTS = {
  full: { small: 200_000, large: 2_000_000 },
  quick: { small: 20_000, large: 200_000 },
};

type Burst = (typeof BURSTS)[number];

/** Whether memory depends on the number of delivered events. */
export const memory: Measurement = {
  name: 'memory',
  method:
    'A default tracker takes events in turns of 500 with setImmediate between them, and delivers them meanwhile; the most ' +
    'memory that its process ever held, until flush() resolves, over that before the tracker is made.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const events = context.isQuick ? EVENTS.quick : EVENTS.full;
  const receiver = await Receiving.start();
  try {
    const resultsOf = await inRounds(context.rounds, BURSTS, (burst, round) =>
      burstOnce(burst, events[burst], round, receiver, context),
    );
    const count = (burst: Burst) => events[burst].toLocaleString('en');
    const name = (burst: Burst) => `peak memory over start, ${count(burst)} events`;
    const values = (burst: Burst) => resultsOf(burst).map((bytes) => bytes / MIB);
    const row = (burst: Burst) => ({ name: name(burst), unit: 'MiB', values: values(burst) });
    const against = { name: name('small'), values: values('small') };
    const most = { of: 'value', bound: 'at most', limit: 96 } as const;
    const equal = { of: 'ratio', bound: 'between', limits: [0.9, 1.1] } as const;
    return [
      makeRow({ ...row('small'), demand: most }),
      makeRow({ ...row('large'), demand: most }),
      makeRow({
        ...row('large'),
        name: `peak memory, ${count('large')} events against ${count('small')}`,
        against,
        demand: equal,
      }),
    ];
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

async function burstOnce(
  burst: Burst,
  events: number,
  round: number,
  receiver: Receiving,
  { directory, execArgv, tell }: MeasurementContext,
): Promise<number> {
  const journalDirectory = join(directory, `${burst}-${round}`);
  const settings: MemorySettings = { baseUrl: receiver.baseUrl, journalDirectory, events };
  await using process = new ForkedProcess<MemoryTold>(SCRIPT, settings, execArgv);
  const { peakBytes } = await process.expect('measured');
  await process.ended();
  await checkArrival(receiver, events, `memory, ${events} events`);
  rmSync(journalDirectory, { recursive: true, force: true });
  tell(`memory, round ${round + 1}, ${events} events: ${Math.round(peakBytes / MIB)} MiB`);
  return peakBytes;
}
