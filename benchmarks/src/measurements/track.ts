import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { TrackSettings, TrackSubject, TrackTold } from '../processes/measured-messages.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import { sizeText } from '../size.ts';
import { checkArrival } from './arrival.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SCRIPT = new URL('../processes/track-process.js', import.meta.url);
const SUBJECTS: readonly TrackSubject[] = ['stringify', 'default'];
/** In one synchronous loop, so no more than the buffer holds. After the warm-up, the compiler has settled. */
const SIZE = {
  full: { events: 100_000, warmUp: 20_000 },
  quick: { events: 20_000, warmUp: 20_000 },
};
const STRINGIFY = 'JSON.stringify of a whole event';
/** Name of the row of one track(). */
export const TRACK_ROW = 'track(), default journal';

/** The cost of track() for its caller, compared with making the event's text by JSON.stringify. */
export const track: Measurement = {
  name: 'track',
  method:
    `The time of one synchronous loop, ${sizeText(SIZE.full)} events to warm up. "${STRINGIFY}" makes a uuid and ` +
    'an object with all fields of the event, the payload among them, and calls JSON.stringify on it; the time of the event is cached ' +
    'for a millisecond, and the texts are flattened and kept. It is no floor: track() makes the same text with fewer steps.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const receiver = await Receiving.start();
  try {
    const resultsOf = await inRounds(context.rounds, SUBJECTS, (subject, round) =>
      trackOnce(subject, round, receiver, context),
    );
    const size = sizeOf(context);
    return [
      makeRow({ name: STRINGIFY, unit: 'ns', values: resultsOf('stringify'), size }),
      makeRow({
        ...{ name: TRACK_ROW, unit: 'ns', values: resultsOf('default'), size },
        against: { name: STRINGIFY, values: resultsOf('stringify') },
        demand: { of: 'ratio', bound: 'at most', limit: 1.3 },
      }),
    ];
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

async function trackOnce(
  subject: TrackSubject,
  round: number,
  receiver: Receiving,
  context: MeasurementContext,
): Promise<number> {
  const { directory, execArgv, tell } = context;
  const size = sizeOf(context);
  const journalDirectory = join(directory, `${subject}-${round}`);
  const settings: TrackSettings = { subject, baseUrl: receiver.baseUrl, journalDirectory, ...size };
  await using process = new ForkedProcess<TrackTold>(SCRIPT, settings, execArgv);
  const { nsPerEvent } = await process.expect('measured');
  await process.ended();
  const sent = subject === 'stringify' ? 0 : size.warmUp + size.events;
  await checkArrival(receiver, sent, `track, ${subject}`);
  rmSync(journalDirectory, { recursive: true, force: true });
  tell(`track, round ${round + 1}, ${subject}: ${Math.round(nsPerEvent)} ns`);
  return nsPerEvent;
}

function sizeOf({ isQuick }: MeasurementContext) {
  return isQuick ? SIZE.quick : SIZE.full;
}
