import { createTracker } from '@sluice/core';

// `next build` runs this without a key. If it is still missing at run time, the service refuses, and Sluice says so.
const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = 'missing' } = process.env;

/** The tracker of the server, for all requests. It does no I/O before its first event. */
export const tracker = createTracker({
  baseUrl: SLUICE_URL,
  apiKey: SLUICE_API_KEY,
  correlationKey: 'email',
});
