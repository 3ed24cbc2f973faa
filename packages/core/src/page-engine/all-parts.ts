import { allParts } from '../platform/all-parts.ts';
import { bounds } from './parts/bounds.ts';
import { deadLetters } from './parts/dead-letters.ts';
import { learn } from './parts/learn.ts';
import { perCustomer } from './parts/per-customer.ts';
import type { PageParts } from './parts.ts';

/** All parts, in the form of a page. */
export const allPageParts: Omit<typeof allParts, keyof PageParts> & PageParts = {
  ...allParts,
  bounds,
  deadLetters,
  learn,
  perCustomer,
};
