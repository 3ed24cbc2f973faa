// @ts-check
import { createTracker } from '@sluice/core';
import express from 'express';
import { closeAtEnd, sluice } from './sluice.js';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '', PORT = '3000' } = process.env;
const tracker = createTracker({ baseUrl: SLUICE_URL, apiKey: SLUICE_API_KEY, correlationKey: 'email' });

const application = express();
// Your session knows the customer. This example believes a header.
application.use(sluice(tracker, (request) => request.get('x-customer') ?? 'nobody@example.com'));

application.post('/purchases/:sku', (request, response) => {
  response.locals.tracker.track('purchase', { sku: request.params.sku });
  response.sendStatus(204);
});

const server = application.listen(Number(PORT), (error) => {
  if (error) throw error; // Express 5 calls this if the port is taken, too
  console.log('listening', server.address());
});
closeAtEnd(server, tracker);
