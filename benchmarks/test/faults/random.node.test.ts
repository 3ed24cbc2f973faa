import { expect, it } from 'vitest';
import { createRandom } from '../../src/faults/random.ts';

it('gives whole numbers below a bound, the same for the same seed, all of them in turn', () => {
  const draw = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 1_000 }, () => random(10));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect([...new Set(draw(0))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
