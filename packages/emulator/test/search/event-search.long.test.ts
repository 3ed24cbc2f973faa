import { describe, it } from 'vitest';
import { few } from '../../../../testing/full.ts';
import { searchTyped } from './typed-searches.ts';

describe('a search', () => {
  it.each(few(1, [1, 2, 3]))('takes whatever is typed (seed %i)', (seed) => searchTyped(seed));
});
