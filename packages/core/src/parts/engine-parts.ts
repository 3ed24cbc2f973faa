/** Parts of which pages have a form of their own. */
export { deadLetters } from './dead-letters/dead-letters.ts';
export { learn } from './learn/learn.ts';

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, storage: { maxBytes }, parts: { bounds } });
 */
export const bounds: object = {};

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ baseUrl, correlationKey: 'email', ordering: 'per-customer', parts: { perCustomer } });
 */
export const perCustomer: object = {};
