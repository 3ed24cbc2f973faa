// @ts-check
import { createTracker } from '@sluice/core';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '' } = process.env;
// Once for each instance, outside of the handler. Nothing happens until the first event.
const tracker = createTracker({
  baseUrl: SLUICE_URL,
  apiKey: SLUICE_API_KEY,
  correlationKey: 'email',
  journal: 'memory',
});

// The host kills a handler that takes longer than its time-out.
const LEFT_MS = 500;

/** @param {{ customer: string, sku: string }} sale @param {{ getRemainingTimeInMillis(): number }} context */
export async function handler({ customer, sku }, context) {
  tracker.for(customer).track('purchase', { sku });
  // The host freezes the process after the answer. So the events go out before it.
  const { pending } = await tracker.flush({ timeoutMs: context.getRemainingTimeInMillis() - LEFT_MS });
  return { statusCode: 200, pending };
}
