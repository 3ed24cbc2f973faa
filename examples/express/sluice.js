// @ts-check
import { randomUUID } from 'node:crypto';

/**
 * Gives each request its view of the tracker: `response.locals.tracker`.
 * @param {import('@sluice/core').Tracker} tracker
 * @param {(request: import('express').Request) => string} customerOf
 * @returns {import('express').RequestHandler}
 */
export function sluice(tracker, customerOf) {
  return (request, response, next) => {
    response.locals.tracker = tracker.for(customerOf(request), { requestId: randomUUID() });
    next();
  };
}

/**
 * At SIGTERM: answers pending requests, then delivers. What the service does not take now stays in the journal.
 * @param {import('node:http').Server} server
 * @param {import('@sluice/core').Tracker} tracker
 */
export function closeAtEnd(server, tracker) {
  process.once('SIGTERM', () => {
    server.close(() => tracker.close());
    // A proxy that keeps its connections would send requests for ever.
    server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  });
}
