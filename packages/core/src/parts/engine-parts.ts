/** Parts of which pages have a form of their own. In Node a tracker has these already. */
export { learn } from './learn/learn.ts';

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, storage: { maxBytes }, parts: { bounds } });
 */
export const bounds: object = {};

/**
 * For pages: makes `tracker.deadLetters`. In Node a tracker has it already.
 * @example createTracker({ ...options, parts: { deadLetters } });
 */
export const deadLetters: object = {};

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ baseUrl, correlationKey: 'email', ordering: 'per-customer', parts: { perCustomer } });
 */
export const perCustomer: object = {};
