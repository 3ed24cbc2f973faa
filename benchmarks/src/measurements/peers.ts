import { amplitude } from '../peers/amplitude.ts';
import { customerio } from '../peers/customerio.ts';
import { jitsu } from '../peers/jitsu.ts';
import { posthog } from '../peers/posthog.ts';
import { rudderstack } from '../peers/rudderstack.ts';
import { segment } from '../peers/segment.ts';
import { snowplow } from '../peers/snowplow.ts';
import type { Row } from '../row.ts';
import { byDefault } from '../subjects/sluice.ts';
import type { Subject } from '../subjects/subject.ts';
import { WARM_UP_SHARE } from './burst.ts';
import { type BurstFigure, burstRow, CPU, DELIVERED } from './burst-rows.ts';
import { runBurst } from './burst-run.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const ROUNDS = 3;
const QUICK_SHARE = 0.1;
/** As many as a peer delivers in a second or two: the slowest takes hours for what the fastest takes a minute for. */
const EVENTS = new Map<Subject, number>([
  [posthog, 50_000],
  [snowplow, 20_000],
  [segment, 20_000],
  [customerio, 20_000],
  [amplitude, 20_000],
  [jitsu, 5_000],
  [rudderstack, 2_000],
]);
const PEERS = [...EVENTS.keys()];

/** What the other SDKs deliver, that are too slow for the bursts of `burst`. */
export const peers: Measurement = {
  name: 'peers',
  method:
    `As \`burst\`, in ${ROUNDS} rounds with Sluice's default journal, with as many events as a peer delivers in a few seconds: ` +
    `${[...EVENTS].map(([{ name }, events]) => `${name} ${events.toLocaleString('en')}`).join(', ')}. The ratio is to Sluice.`,
  subjects: PEERS,
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const { rounds, events: usual, isQuick } = context;
  const eventsOf = (subject: Subject) => {
    const events = EVENTS.get(subject);
    return events === undefined ? usual : events * (isQuick ? QUICK_SHARE : 1);
  };
  const resultsOf = await inRounds(Math.min(rounds, ROUNDS), [byDefault, ...PEERS], (subject, round) => {
    const events = eventsOf(subject);
    return runBurst(subject, { ...context, events, warmUp: events * WARM_UP_SHARE, round });
  });
  const rows = (figure: BurstFigure) =>
    PEERS.map((subject) => burstRow(resultsOf, { figure, subject, against: byDefault }));
  return [...rows(DELIVERED), ...rows(CPU)];
}
