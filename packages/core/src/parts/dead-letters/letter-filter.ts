import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { DeadLetter } from './dead-letter.ts';

/** Which dead letters: an array of ids, or a function that returns true for them. Left out: all. */
export type DeadLetterFilter = readonly string[] | ((letter: DeadLetter) => boolean);

interface LetterChoice {
  readonly accepts: (letter: DeadLetter) => boolean;
  /** Whether all letters that were asked for are found. */
  readonly isDone: () => boolean;
}

/** Throws a ConfigError if this is not a filter. */
export function readFilter(filter: unknown): LetterChoice {
  const isDone = () => false;
  if (filter === undefined) return { accepts: () => true, isDone };
  if (typeof filter === 'function') {
    const accepts = (letter: DeadLetter) => {
      const answer: unknown = filter(letter);
      // A promise would count as true.
      if (typeof answer === 'boolean') return answer;
      throw new ConfigError('filter', `filter must return true or false, got ${describe(answer)}`);
    };
    return { accepts, isDone };
  }
  if (!Array.isArray(filter) || filter.some((id) => typeof id !== 'string')) {
    // Without the value: it may be the key.
    throw new ConfigError('filter', 'filter must be an array of the ids of dead letters, or a function');
  }
  const ids = new Set(filter);
  return { accepts: ({ id }) => ids.delete(id), isDone: () => ids.size === 0 };
}
