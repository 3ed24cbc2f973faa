import { makeRow, type Row } from '../row.ts';
import { byDefault } from '../subjects/sluice.ts';
import { DELIVERED } from './burst-rows.ts';
import { runBurst } from './burst-run.ts';
import { QUICK_SHARE } from './comparison.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const EVENTS = { small: 10_000, large: 500_000 };
type Burst = keyof typeof EVENTS;
/** After this many events, the cost of the tracker's code has settled. */
const WARM_UP = 100_000;

/** Whether short and long bursts are delivered at the same speed. */
export const burstSizes: Measurement = {
  name: 'burst-sizes',
  method:
    'Bursts of two sizes through the default journal, as in `burst`, but after 100,000 events each: after 20,000, the smaller one ' +
    'is still compiled while it is measured.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const share = context.isQuick ? QUICK_SHARE : 1;
  const sizeOf = (burst: Burst) => ({ events: EVENTS[burst] * share, warmUp: WARM_UP * share });
  const resultsOf = await inRounds<Burst, number>(context.rounds, ['small', 'large'], async (burst, round) =>
    DELIVERED.of(await runBurst(byDefault, { ...context, ...sizeOf(burst), round })),
  );
  const [small, large] = [sizeOf('small'), sizeOf('large')].map(({ events }) => events.toLocaleString('en'));
  return [
    makeRow({
      name: `delivered, burst of ${small} against ${large}`,
      unit: 'events/s',
      values: resultsOf('small'),
      size: sizeOf('small'),
      against: { name: `a burst of ${large}`, values: resultsOf('large') },
      demand: { of: 'ratio', bound: 'between', limits: [0.85, 1.15] },
    }),
  ];
}
