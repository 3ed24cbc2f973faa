// @ts-check
import { createTracker } from '@sluice/core';
import fastify from 'fastify';
import { sluice } from './sluice.js';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '', PORT = '3000' } = process.env;
const tracker = createTracker({ baseUrl: SLUICE_URL, apiKey: SLUICE_API_KEY, correlationKey: 'email' });

const application = fastify();
// Your session knows the customer. This example believes a header.
const customerOf = (/** @type {import('fastify').FastifyRequest} */ { headers }) =>
  String(headers['x-customer'] ?? 'nobody@example.com');
await application.register(sluice, { tracker, customerOf });

application.post('/purchases/:sku', async (request, reply) => {
  const { sku } = /** @type {{ sku: string }} */ (request.params);
  request.tracker.track('purchase', { sku });
  return reply.code(204).send();
});

process.once('SIGTERM', () => application.close());
await application.listen({ port: Number(PORT) });
console.log('listening', application.server.address());
