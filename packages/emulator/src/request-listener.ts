import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Application } from './application.ts';
import { Refusal } from './refusal.ts';

/** Connects an application to a Node server. */
export function createRequestListener(application: Application): RequestListener {
  const listener = getRequestListener(application.fetch, {
    // The emulator often runs inside a test process, whose global Request and Response are not its to replace.
    overrideGlobalObjects: false,
    // Reached only by requests that cannot even be given to the application.
    errorHandler: (error) => {
      const reason = error instanceof Error ? error.message : 'unknown';
      const refusal = new Refusal('malformed_request', `The request cannot be understood: ${reason}`);
      return Response.json(refusal.body, {
        status: refusal.status,
        headers: { 'access-control-allow-origin': '*' },
      });
    },
  });
  return (request, response) => void listener(request, response);
}
