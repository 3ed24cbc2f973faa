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

/** @param {{ customer: string, sku: string }} sale */
export async function handler({ customer, sku }) {
  tracker.for(customer).track('purchase', { sku });
  // The host freezes the process after the answer. So the events go out before it.
  const { pending } = await tracker.flush({ timeoutMs: 2_000 });
  return { statusCode: 200, pending };
}
