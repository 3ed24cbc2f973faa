import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Clock, sleep, systemClock } from '@sluice/protocol/toolbox';
import { checkLocalKey } from '../admin/operator-access.ts';
import { Refusal } from '../events/refusal.ts';
import type { Fault } from '../faults/fault.ts';
import type { Endpoint } from '../faults/fault-run.ts';
import type { Faults } from '../faults/faults.ts';
import type { Injection } from '../faults/injection.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes, type RequestContext } from '../running/application.ts';
import { type Answer, refusalAnswer } from './answers.ts';
import type { Exchange } from './exchange.ts';
import { type JsonBody, readJsonBody } from './request-body.ts';

/** An endpoint of the interface. */
export interface InterfaceEndpoint {
  readonly name: Endpoint;
  readonly path: string;
  /** Answers a request that has a valid key and a JSON body. */
  serve(exchange: Exchange, primaryKey: string, body: JsonBody): Response | Promise<Response>;
}

/** Adds an endpoint of the interface, with the checks that both endpoints share (sections 1, 4 and 5). */
export function addInterfaceEndpoint(
  application: Application,
  endpoint: InterfaceEndpoint,
  account: Account,
  faults: Faults,
): void {
  const limiter = new RateLimiter(systemClock);
  const serve = async (context: RequestContext): Promise<Response> => {
    const exchange = context.get('exchange');
    if (exchange === undefined) throw new Error('an endpoint of the interface needs an exchange');
    const injection = faults.inject(endpoint.name);
    exchange.injection = injection;
    const take = async () => {
      const primaryKey = admit(context, exchange, endpoint, account, limiter);
      return { primaryKey, body: await readBody(context, exchange, endpoint) };
    };
    // The body is read while the request waits. So it is served also if the client gives up meanwhile.
    const early = injection.delayMs > 0 && injection.isServed ? take() : undefined;
    early?.catch(() => {}); // it may not be awaited, or only later
    return serveWithFaults(injection, faults, context, exchange, async () => {
      const { primaryKey, body } = await (early ?? take());
      return endpoint.serve(exchange, primaryKey, body);
    });
  };
  addRoutes(application, endpoint.path, { POST: serve });
}

function readBody(
  { env }: RequestContext,
  exchange: Exchange,
  { name }: InterfaceEndpoint,
): Promise<JsonBody> {
  const { injection, behaviour } = exchange;
  const { maxBodyBytes, compression } = behaviour;
  return readJsonBody(env.incoming, {
    maxBytes: maxBodyBytes,
    // A limit of a fault that is not below that of the service never acts.
    smallerMax: (size) => injection?.exceeded(Math.min(size, maxBodyBytes)),
    takesGzip: compression && name === 'events',
    onChunk: (chunk) => exchange.came(chunk),
  });
}

function admit(
  { req }: RequestContext,
  exchange: Exchange,
  { name }: InterfaceEndpoint,
  account: Account,
  limiter: RateLimiter,
): string {
  exchange.keyId = account.apiKeys.authenticate(req.header('authorization'));
  if (name === 'customers') checkLocalKey(req);
  const { maxRequestsPerSecond, retryAfter } = exchange.behaviour;
  const waitMs = maxRequestsPerSecond === null ? 0 : limiter.take(maxRequestsPerSecond);
  if (waitMs > 0) {
    const message = `At most ${maxRequestsPerSecond} requests a second are taken: the next one in ${waitMs} ms.`;
    const headers = retryAfter ? { 'retry-after': String(Math.ceil(waitMs / 1_000)) } : {};
    throw new Refusal('rate_limited', message, { headers });
  }
  const { primaryKey } = account.audience;
  if (primaryKey !== null) return primaryKey;
  throw new Refusal(
    'no_primary_key',
    'No primary key has been selected. Select one: start with --primary-key NAME, call selectPrimaryKey(), ' +
      'or PUT {"primaryKey": NAME} to {api_url}/emulator/primary-key.',
  );
}

/** Serves a request with `serve`, and does to it what the faults say. */
async function serveWithFaults(
  { delayMs, ending }: Injection,
  faults: Faults,
  context: RequestContext,
  exchange: Exchange,
  serve: () => Promise<Response>,
): Promise<Response> {
  if (delayMs > 0) await sleep(systemClock, delayMs, faults.closing, true);
  exchange.isCut = faults.closing.aborted;
  if (exchange.isCut) return cut(context);
  exchange.isCut = context.env.incoming.socket.destroyed; // the client has given up
  switch (ending?.kind) {
    case undefined:
      return serve();
    case 'status':
      return exchange.respond(statusAnswer(ending));
    case 'hang':
      exchange.isCut = true;
      exchange.end(0); // the requests page shows it while it hangs
      return hang(context, faults.closing);
    case 'lost-answer':
      exchange.isCut = true;
      await answered(exchange, serve);
      return cut(context);
    case 'reset':
      if (ending.at === 'middle') return cutInTheMiddle(context, await answered(exchange, serve));
  }
  exchange.isCut = true;
  return cut(context);
}

/** Serves a request. The answer may also be that to a refusal: a fault acts on both. */
async function answered(exchange: Exchange, serve: () => Promise<Response>): Promise<Response> {
  return serve().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    exchange.error = error.body.error;
    return exchange.respond(refusalAnswer(error, exchange.behaviour));
  });
}

function statusAnswer({ status, body, retryAfter }: Extract<Fault, { kind: 'status' }>): Answer {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (body !== undefined || status < 400) return { status, headers, body: body ?? null };
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
  if (!socket.destroyed) await once(socket, 'close', { signal: until }).catch(() => socket.destroy());
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

/** One request, in thousandths. So the allowance grows by a whole number each millisecond. */
const REQUEST = 1_000;

/** Limits the requests per second. After a pause, the requests of a whole second may pass at once. */
export class RateLimiter {
  readonly #clock: Clock;
  #free = Number.POSITIVE_INFINITY;
  #countedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns 0 if a request may pass, and counts that request. Otherwise returns how many milliseconds to wait. */
  take(perSecond: number): number {
    const now = this.#clock.now();
    const grown = Math.max(0, now - this.#countedAt) * perSecond;
    this.#free = Math.min(perSecond * REQUEST, this.#free + grown);
    this.#countedAt = now;
    if (this.#free < REQUEST) return Math.ceil((REQUEST - this.#free) / perSecond);
    this.#free -= REQUEST;
    return 0;
  }
}
