// @ts-check
import { createServer } from 'node:http';
import { createTracker } from '@sluice/core';

const {
  SLUICE_URL = '',
  SLUICE_API_KEY = '',
  SLUICE_JOURNAL = '/var/lib/sluice',
  PORT = '3000',
} = process.env;
const tracker = createTracker({
  baseUrl: SLUICE_URL,
  apiKey: SLUICE_API_KEY,
  correlationKey: 'email',
  journalDirectory: SLUICE_JOURNAL,
});

const server = createServer(async ({ url }, response) => {
  tracker.for('ada@example.com').track('visit', { path: url ?? '/' });
  // The visitor gets an answer once the event survives the death of the container. If the disk fails, Sluice says so and sends from memory.
  await tracker.durable().catch(() => {});
  response.end('hello\n');
});
server.listen(Number(PORT), () => console.log('listening', server.address()));

process.once('SIGTERM', () => {
  server.close(() => tracker.close());
  // A proxy that keeps its connections would send requests for ever.
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
});
