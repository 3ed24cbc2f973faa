import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { BacklogSettings, BacklogTold } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';

const LEAVING = new URL('../processes/leaving-process.js', import.meta.url);
const RECOVERING = new URL('../processes/recovering-process.js', import.meta.url);
/** Nobody listens there: the discard port, which browsers and servers leave alone. */
const NOWHERE = 'http://127.0.0.1:9';

/** How soon a process that finds a backlog begins to deliver it. */
export const firstBatch: Measurement = {
  name: 'first-batch',
  method:
    'A process that cannot reach the service leaves all events in its journal and is killed. A fresh one opens that ' +
    'journal: the time from createTracker to the head of the first request at the receiver. All of it is then delivered.',
  run,
};

async function run({
  rounds,
  events,
  directory,
  execArgv,
  tell,
}: MeasurementContext): Promise<readonly Row[]> {
  const values: number[] = [];
  const receiver = await Receiving.start();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const journalDirectory = join(directory, String(round));
      await leave({ baseUrl: NOWHERE, journalDirectory, events });
      const settings = { baseUrl: receiver.baseUrl, journalDirectory, events };
      await using recovering = new ForkedProcess<BacklogTold>(RECOVERING, settings, execArgv);
      const { createdAt } = await recovering.expect('delivered');
      await recovering.ended();
      const delayMs = (await checkArrival(receiver, events, 'first batch')) - createdAt;
      tell(`first-batch, round ${round + 1}: ${Math.round(delayMs)} ms`);
      values.push(delayMs);
    }
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
  const name = `first batch in flight, ${events.toLocaleString('en')} events waiting`;
  return [makeRow({ name, unit: 'ms', values, demand: { of: 'value', bound: 'at most', limit: 150 } })];
}

/** Leaves a backlog, by a process that is killed once all of it is in the journal. */
async function leave(settings: BacklogSettings): Promise<void> {
  await using leaving = new ForkedProcess<BacklogTold>(LEAVING, settings);
  await leaving.expect('left');
}
