import { makeRow, type Row } from '../row.ts';
import { byDefault } from '../subjects/sluice.ts';
import { DELIVERED } from './burst-rows.ts';
import { runBurst } from './burst-run.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SIZES = { small: 1 / 20, large: 2.5 };
type Size = keyof typeof SIZES;
/** Half a burst's events: what a tracker's code costs has settled by then. */
const WARM_UP_SHARE = 0.5;

/** Whether a burst is delivered at the same speed, however long it is. */
export const burstSizes: Measurement = {
  name: 'burst-sizes',
  method:
    'Bursts of two sizes through the default journal, as in `burst`, but after 100,000 events each: after 20,000, the smaller one ' +
    'is still compiled while it is measured.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const { rounds, events: usual } = context;
  const eventsOf = (size: Size) => usual * SIZES[size];
  const resultsOf = await inRounds<Size, number>(rounds, ['small', 'large'], async (size, round) => {
    const sizes = { events: eventsOf(size), warmUp: usual * WARM_UP_SHARE };
    return DELIVERED.of(await runBurst(byDefault, { ...context, ...sizes, round }));
  });
  const [small, large] = [eventsOf('small'), eventsOf('large')].map((events) => events.toLocaleString('en'));
  return [
    makeRow({
      name: `delivered, burst of ${small} against ${large}`,
      unit: 'events/s',
      values: resultsOf('small'),
      against: { name: `a burst of ${large}`, values: resultsOf('large') },
      demand: { of: 'ratio', bound: 'between', limits: [0.85, 1.15] },
    }),
  ];
}
