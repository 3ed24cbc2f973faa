import { nonsense } from './nonsense.ts';

/** Random numbers of the user's, and the platform's wherever those fail. */
export function guardedRandom(random: () => number, onFailed: (error: unknown) => void): () => number {
  return () => {
    try {
      const number = random();
      if (typeof number === 'number' && number >= 0 && number <= 1) return number;
      onFailed(nonsense('random() must return a number from 0 to 1', number));
    } catch (error) {
      onFailed(error);
    }
    return Math.random();
  };
}
