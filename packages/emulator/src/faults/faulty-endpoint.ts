import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Refusal } from '../events/refusal.ts';
import { type Answer, answer } from '../http/answers.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestContext } from '../running/application.ts';
import type { StatusFault } from './fault.ts';
import type { Endpoint } from './fault-run.ts';
import type { Faults } from './faults.ts';
import type { Injection } from './injection.ts';

/** Serves a request with `serve`, and applies the active faults to it. */
export async function serveWithFaults(
  faults: Faults,
  endpoint: Endpoint,
  context: RequestContext,
  exchange: Exchange,
  serve: (injection: Injection) => Promise<Response>,
): Promise<Response> {
  const injection = faults.inject(endpoint);
  exchange.faults = injection.words;
  if (injection.delayMs > 0) await faults.pause(injection.delayMs);
  const { ending } = injection;
  exchange.isCut = faults.closing.aborted;
  if (exchange.isCut) return cut(context);
  switch (ending?.kind) {
    case undefined:
      return serve(injection);
    case 'status':
      return exchange.respond(statusAnswer(ending));
    case 'hang':
      exchange.isCut = true;
      exchange.end(0); // the requests page shows it while it hangs
      return hang(context, faults.closing);
    case 'lost-answer':
      exchange.isCut = true;
      await serve(injection).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        exchange.error = error.body.error;
      });
      return cut(context);
    case 'reset':
      if (ending.at === 'middle') return cutInTheMiddle(context, await serve(injection));
  }
  exchange.isCut = true;
  return cut(context);
}

function statusAnswer({ status, body, retryAfter }: StatusFault): Answer {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (body !== undefined) return answer(status, body, undefined, headers);
  if (status < 400) return answer(status, null, undefined, headers);
  throw new Refusal('injected_fault', `A fault is switched on that answers ${status}.`, { status, headers });
}

/** Resets the connection instead of answering. */
function cut({ env }: RequestContext): Response {
  env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Reads the rest of the request, but never answers. Waits until the connection is closed; aborting `until` closes it. */
async function hang({ env }: RequestContext, until: AbortSignal): Promise<Response> {
  const { socket } = env.incoming;
  env.incoming.resume();
  const end = (): void => void socket.destroy();
  until.addEventListener('abort', end);
  await once(socket, 'close');
  until.removeEventListener('abort', end);
  return RESPONSE_ALREADY_SENT;
}

/** Sends half of the body, then resets the connection. Without a body, it resets the connection at once. */
async function cutInTheMiddle(context: RequestContext, response: Response): Promise<Response> {
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
