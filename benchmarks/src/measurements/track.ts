import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { TrackSettings, TrackTold } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/track-process.js', import.meta.url);
const SUBJECTS = ['floor', 'default'] as const;
/** Enough for the compiler to have settled. */
const WARM_UP = 20_000;
/** In one synchronous loop: no more than the buffer holds. */
const MOST_EVENTS = 100_000;

/** What track() costs its caller, against what no tracker can do without. */
export const track: Measurement = {
  name: 'track',
  method:
    `The time of one synchronous loop over ${MOST_EVENTS.toLocaleString('en')} events, after ${WARM_UP.toLocaleString('en')} to warm up. The floor ` +
    'makes a uuid, takes a cached time, and JSON.stringifies the envelope; the texts are flattened and kept.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const receiver = await Receiving.start();
  try {
    const resultsOf = await inRounds(context.rounds, SUBJECTS, (subject, round) =>
      trackOnce(subject, round, receiver, context),
    );
    return [
      makeRow({ name: 'track(), the floor', unit: 'ns', values: resultsOf('floor') }),
      makeRow({
        name: 'track(), default journal',
        unit: 'ns',
        values: resultsOf('default'),
        against: { name: 'the floor', values: resultsOf('floor') },
        demand: { of: 'ratio', bound: 'at most', limit: 1.3 },
      }),
    ];
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

async function trackOnce(
  subject: (typeof SUBJECTS)[number],
  round: number,
  receiver: Receiving,
  { events: burst, directory, execArgv, tell }: MeasurementContext,
): Promise<number> {
  const events = Math.min(burst, MOST_EVENTS);
  const journalDirectory = join(directory, `${subject}-${round}`);
  const settings: TrackSettings = {
    ...{ subject, baseUrl: receiver.baseUrl, journalDirectory },
    ...{ warmUp: WARM_UP, events },
  };
  await using process = new ForkedProcess<TrackTold>(SCRIPT, settings, execArgv);
  const { nsPerEvent } = await process.expect('measured');
  await process.ended();
  await checkArrival(receiver, subject === 'floor' ? 0 : WARM_UP + events, `track, ${subject}`);
  rmSync(journalDirectory, { recursive: true, force: true });
  tell(`track, round ${round + 1}, ${subject}: ${Math.round(nsPerEvent)} ns`);
  return nsPerEvent;
}
