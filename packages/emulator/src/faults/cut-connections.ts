import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { RequestContext } from '../running/application.ts';

/** Resets the connection instead of answering. */
export function cut({ env }: RequestContext): Response {
  env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Reads the rest of the request, but never answers. Waits until the connection is closed; aborting `until` closes it. */
export async function hang({ env }: RequestContext, until: AbortSignal): Promise<Response> {
  const { socket } = env.incoming;
  env.incoming.resume();
  const end = (): void => void socket.destroy();
  until.addEventListener('abort', end);
  await once(socket, 'close');
  until.removeEventListener('abort', end);
  return RESPONSE_ALREADY_SENT;
}

/** Sends half of the body, then resets the connection. Without a body, it resets the connection at once. */
export async function cutInTheMiddle(context: RequestContext, response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return cut(context);
  const headers = new Headers(response.headers);
  headers.set('content-length', String(bytes.length));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2))),
    async pull() {
      const { outgoing } = context.env;
      while (!outgoing.headersSent && !outgoing.destroyed) await setImmediate();
      await setImmediate(); // now the first half is on its way
      cut(context);
    },
  });
  return new Response(body, { status: response.status, headers });
}
