import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Application } from '../running/application.ts';
import { respond } from './answers.ts';
import type { MalformedRequests } from './malformed-requests.ts';

/** Connects an application to a Node server. */
export function createRequestListener(
  application: Application,
  malformed: MalformedRequests,
): RequestListener {
  const listener = getRequestListener(application.fetch, {
    // The emulator often runs inside a test process. It must not replace that process's global Request and Response.
    overrideGlobalObjects: false,
    // Called only for requests that cannot even be passed to the application.
    errorHandler: (error) => {
      const reason = error instanceof Error ? error.message : 'unknown';
      return respond(malformed.refuse(`its path and Host header make no address (${reason}).`));
    },
  });
  return (request, response) => void listener(request, response);
}
