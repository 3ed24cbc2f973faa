/** Parts in the form of a page. */
import type { PageParts } from '../parts.ts';

export { learn } from '../../parts/learn/learn.ts';
export { bounds } from './bounds.ts';
export { deadLetters } from './dead-letters.ts';

/** Part for `ordering: 'per-customer'`. */
export const perCustomer: NonNullable<PageParts['perCustomer']> = {
  order() {
    const waiting = new Set<string>();
    return ({ customer }, isFree) => {
      // Stored events may be of any customer.
      const isBehind = customer === '' ? waiting.size > 0 : waiting.has(customer) || waiting.has('');
      if (!isFree || isBehind) waiting.add(customer);
      return isFree && !isBehind;
    };
  },
};
