// @ts-check
import { createTracker } from '@sluice/core';

/** @typedef {{ SLUICE_URL: string, SLUICE_API_KEY: string }} Env */

export default {
  /** @param {Request} request @param {Env} env @param {{ waitUntil(work: Promise<unknown>): void }} context */
  async fetch(request, env, context) {
    // One for each request: such hosts do not let one request use what another one opened.
    const tracker = createTracker({
      baseUrl: env.SLUICE_URL,
      apiKey: env.SLUICE_API_KEY,
      correlationKey: 'email',
      waitUntil: (work) => context.waitUntil(work),
    });
    // Your session knows the customer. This example believes a header.
    const customer = request.headers.get('x-customer') ?? 'nobody@example.com';
    tracker.for(customer).track('visit', { path: new URL(request.url).pathname });
    return new Response('hello\n');
  },
};
