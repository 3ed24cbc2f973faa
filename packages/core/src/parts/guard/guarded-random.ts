import { ask, isWithin } from '../../base/user-code.ts';

const isPart = isWithin(0, 1);

/** The user's random numbers. If they fail, `Math.random()` is used. */
export function guardedRandom(random: () => number, onFailed: (error: unknown) => void): () => number {
  return () => ask(random, isPart, 'random() must return a number from 0 to 1', onFailed) ?? Math.random();
}
