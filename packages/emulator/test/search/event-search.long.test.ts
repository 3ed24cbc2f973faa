import { describe, it } from 'vitest';
import { searchTyped } from './typed-searches.ts';

describe('a search', () => {
  it.each([1, 2, 3])(
    'takes whatever is typed, and finds the same with the index and without (seed %i)',
    (seed) => searchTyped(seed),
  );
});
