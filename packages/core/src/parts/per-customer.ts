/** Part for `ordering: 'per-customer'`. */
export type PerCustomerPart = object;

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ baseUrl, correlationKey: 'email', ordering: 'per-customer', parts: { perCustomer } });
 */
export const perCustomer: PerCustomerPart = {};
