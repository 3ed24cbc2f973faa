import { makeRow, type Row } from '../row.ts';
import { byDefault } from '../subjects/sluice.ts';
import { WARM_UP_SHARE } from './burst.ts';
import { DELIVERED } from './burst-rows.ts';
import { runBurst } from './burst-run.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { inRounds } from './rounds.ts';

const SIZES = { small: 1 / 20, large: 2.5 };
type Size = keyof typeof SIZES;

/** Whether a burst is delivered at the same speed, however long it is. */
export const burstSizes: Measurement = {
  name: 'burst-sizes',
  method: 'Bursts of two sizes through the default journal, as in `burst`.',
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
