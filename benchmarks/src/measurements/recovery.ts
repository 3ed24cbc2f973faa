import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { BacklogSettings, BacklogTold } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';

const LEAVING = new URL('../processes/leaving-process.js', import.meta.url);
const RECOVERING = new URL('../processes/recovering-process.js', import.meta.url);
/** A backlog is what waits of many bursts. */
const BURSTS = 5;
const MB = 1_000_000;
/** Nobody listens there: the discard port, which browsers and servers leave alone. */
const NOWHERE = 'http://127.0.0.1:9';

/** How soon a process that finds a backlog begins to deliver it, and how much memory that takes. */
export const recovery: Measurement = {
  name: 'recovery',
  method:
    'A process that cannot reach the service leaves all events in its journal and is killed. A fresh one opens that ' +
    'journal: the time from createTracker to the head of the first request at the receiver, and the most memory that the ' +
    'process held until all was delivered.',
  run,
};

async function run({
  rounds,
  events: burst,
  directory,
  execArgv,
  tell,
}: MeasurementContext): Promise<readonly Row[]> {
  const events = burst * BURSTS;
  const delays: number[] = [];
  const peaks: number[] = [];
  const receiver = await Receiving.start();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const journalDirectory = join(directory, String(round));
      await leave({ baseUrl: NOWHERE, journalDirectory, events });
      const settings = { baseUrl: receiver.baseUrl, journalDirectory, events };
      await using recovering = new ForkedProcess<BacklogTold>(RECOVERING, settings, execArgv);
      const { createdAt, peakBytes, memoryCurve } = await recovering.expect('delivered');
      await recovering.ended();
      const delayMs = (await checkArrival(receiver, events, 'first batch')) - createdAt;
      const curve = memoryCurve.map((bytes) => Math.round(bytes / MB)).join(', ');
      tell(`recovery, round ${round + 1}: ${Math.round(delayMs)} ms; resident MB every 250 ms: ${curve}`);
      delays.push(delayMs);
      peaks.push(peakBytes / MB);
    }
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
  const waiting = `${events.toLocaleString('en')} events waiting`;
  const demand = { of: 'value', bound: 'at most', limit: 150 } as const;
  return [
    makeRow({ name: `first batch in flight, ${waiting}`, unit: 'ms', values: delays, demand }),
    makeRow({ name: `peak memory, ${waiting}`, unit: 'MB', values: peaks, demand }),
  ];
}

/** Leaves a backlog, by a process that is killed once all of it is in the journal. */
async function leave(settings: BacklogSettings): Promise<void> {
  await using leaving = new ForkedProcess<BacklogTold>(LEAVING, settings);
  await leaving.expect('left');
}
