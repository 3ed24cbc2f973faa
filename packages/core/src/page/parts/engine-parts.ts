/** Parts in the form of a page. */

export { learn } from '../../parts/learn/learn.ts';
export { bounds } from './bounds.ts';
export { deadLetters } from './dead-letters.ts';
export { perCustomer } from './per-customer.ts';
