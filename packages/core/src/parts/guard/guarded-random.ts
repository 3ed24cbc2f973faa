import { ask, isWithin } from '../../base/user-code.ts';

const isPart = isWithin(0, 1);

/** Random numbers of the user's, and the platform's wherever those fail. */
export function guardedRandom(random: () => number, onFailed: (error: unknown) => void): () => number {
  return () => ask(random, isPart, 'random() must return a number from 0 to 1', onFailed) ?? Math.random();
}
