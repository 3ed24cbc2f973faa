import { describe, expect, it } from 'vitest';
import { guardedRandom } from '../../../src/parts/guard/guarded-random.ts';

describe('random numbers', () => {
  it('are those of the user, ends included', () => {
    const numbers = [0, 0.25, 1];
    const random = guardedRandom(
      () => numbers.shift() ?? 0.5,
      (error) => {
        throw error;
      },
    );
    expect([random(), random(), random(), random()]).toEqual([0, 0.25, 1, 0.5]);
  });

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('no entropy');
      },
    ],
    ['returns NaN', () => Number.NaN],
    ['returns more than 1', () => 1.001],
    ['returns less than 0', () => -0.001],
    ['returns a text', () => '0.5'],
    ['returns a promise', () => Promise.resolve(0.5)],
    ['returns nothing', () => undefined],
  ])('are the platform’s where the user’s function %s', (_, random) => {
    const failures: unknown[] = [];
    const guarded = guardedRandom(random as () => number, (error) => failures.push(error));
    const numbers = Array.from({ length: 100 }, guarded);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(90);
    expect(failures).toHaveLength(100);
    expect(failures[0]).toBeInstanceOf(Error);
  });
});
