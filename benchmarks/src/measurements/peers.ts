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
import { CPU, DELIVERED, ratioRow } from './burst-rows.ts';
import { type Comparison, compare, comparisonOf } from './comparison.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';

/** As many events as a peer delivers in a second or two: the slowest needs hours for what the fastest delivers in a minute. */
export const PEER_COMPARISONS: readonly Comparison[] = [
  against(50_000, [posthog]),
  against(20_000, [snowplow, segment, customerio, amplitude]),
  against(5_000, [jitsu]),
  against(2_000, [rudderstack]),
];

/** The speed of the other SDKs, which are too slow for the bursts of `burst`. */
export const peers: Measurement = {
  name: 'peers',
  method:
    'As `burst`, with as many events as a peer delivers in a few seconds. Sluice delivers the same number after the same ' +
    'warm-up, in turns with the peers of that size: a small burst after little warm-up is slower for Sluice, too.',
  subjects: PEER_COMPARISONS.flatMap(({ subjects }) => subjects),
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const comparison of PEER_COMPARISONS) rows.push(...(await compare(comparison, context)));
  return rows;
}

function against(events: number, others: readonly Subject[]): Comparison {
  const rows = others.flatMap((other) =>
    [DELIVERED, CPU].flatMap((figure) => [{ figure, subject: other }, ratioRow(figure, byDefault, other)]),
  );
  return comparisonOf(events, rows);
}
