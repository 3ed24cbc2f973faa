import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { IdleSettings, IdleTold } from '../processes/idle-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';

const SCRIPT = new URL('../processes/idle-process.js', import.meta.url);
const EVENTS = 2_000;
/** Longer than an unused connection stays open. The measurement still ends before V8 cleans the heap of an idle process. */
const REST_MS = 4_000;
const IDLE_MS = 3_000;
const MS_PER_SECOND = 1_000;

/** The cost of a tracker that has nothing to do. */
export const idle: Measurement = {
  name: 'idle',
  method:
    'A tracker delivers 2,000 events and is left alone for 4 s, in which unused connections end. Then its process is watched ' +
    'for 3 s: the timers that it holds (seen with async_hooks, so that those count, too, that do not keep a process alive), ' +
    'and its user and system time. The processes of all rounds run at once.',
  run,
};

async function run({ rounds, directory, execArgv, tell }: MeasurementContext): Promise<readonly Row[]> {
  await using receiver = await Receiving.start();
  const results = await Promise.all(
    Array.from({ length: rounds }, async (_, round) => {
      const settings: IdleSettings = {
        ...{ baseUrl: receiver.baseUrl, journalDirectory: join(directory, String(round)) },
        ...{ events: EVENTS, restMs: REST_MS, idleMs: IDLE_MS },
      };
      await using process = new ForkedProcess<IdleTold>(SCRIPT, settings, execArgv);
      const { timers, cpuMs } = await process.expect('measured');
      await process.ended();
      tell(`idle, round ${round + 1}: ${timers} timers, ${cpuMs.toFixed(2)} ms of CPU in ${IDLE_MS} ms`);
      return { timers, cpuMs };
    }),
  );
  await checkArrival(receiver, rounds * EVENTS, 'idle');
  return [
    makeRow({
      ...{ name: 'timers of an idle tracker', unit: '' },
      ...{ values: results.map(({ timers }) => timers), demand: { of: 'value', bound: 'at most', limit: 0 } },
    }),
    makeRow({
      ...{ name: 'CPU of an idle tracker, per second', unit: 'ms' },
      values: results.map(({ cpuMs }) => (cpuMs * MS_PER_SECOND) / IDLE_MS),
      demand: { of: 'value', bound: 'at most', limit: 1 },
    }),
  ];
}
