/** Parts of which pages have a form of their own. */
export { bounds } from './bounds.ts';
export { deadLetters } from './dead-letters/dead-letters.ts';
export { learn } from './learn/learn.ts';
export { perCustomer } from './per-customer.ts';
