import type { Random } from '../random.ts';

/** The duration of an operation, in milliseconds. */
export type Pace = () => number;

/** Usually about a millisecond, but now and then much longer. */
export function createPace(random: Random): Pace {
  const slowness = random(8);
  const slow = slowness === 0 ? 6_000 : slowness < 4 ? 300 : 20;
  return () => {
    const chance = random(64);
    const most = chance === 0 ? slow : chance < 16 ? 5 : 1;
    return (random(1_000) / 1_000) * most;
  };
}
