import { Refusal } from '../events/refusal.ts';
import type { Endpoint } from '../faults/fault-run.ts';
import type { Faults } from '../faults/faults.ts';
import { serveWithFaults } from '../faults/faulty-endpoint.ts';
import type { Injection } from '../faults/injection.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoute, type RequestContext } from '../running/application.ts';
import { authenticate } from './authentication.ts';
import type { Exchange } from './exchange.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { type JsonBody, readJsonBody } from './request-body.ts';

/** What both endpoints of the interface share. */
export interface SharedParts {
  readonly account: Account;
  readonly limiter: RateLimiter;
  readonly faults: Faults;
}

/** An endpoint of the interface. */
export interface InterfaceEndpoint {
  readonly name: Endpoint;
  readonly path: string;
  /** Whether the setting `compression` applies to it. */
  readonly mayBeGzipped: boolean;
  /** Answers a request that has a valid key and a JSON body. */
  serve(
    exchange: Exchange,
    primaryKey: string,
    body: JsonBody,
    injection: Injection,
    account: Account,
  ): Response | Promise<Response>;
}

/** Adds an endpoint of the interface, with the checks that both endpoints share (sections 1, 4 and 5). */
export function addInterfaceEndpoint(
  application: Application,
  endpoint: InterfaceEndpoint,
  { account, faults, limiter }: SharedParts,
): void {
  addRoute(application, 'POST', endpoint.path, async (context) => {
    const exchange = context.get('exchange');
    if (exchange === undefined) throw new Error('an endpoint of the interface needs an exchange');
    return serveWithFaults(faults, endpoint.name, context, exchange, async (injection) => {
      const primaryKey = admit(context, exchange, account, limiter);
      const body = await readBody(context, exchange, endpoint, injection);
      return endpoint.serve(exchange, primaryKey, body, injection, account);
    });
  });
}

async function readBody(
  { env }: RequestContext,
  exchange: Exchange,
  { mayBeGzipped }: InterfaceEndpoint,
  injection: Injection,
): Promise<JsonBody> {
  const { maxBodyBytes, compression } = exchange.behaviour;
  try {
    return await readJsonBody(env.incoming, {
      maxBytes: Math.min(maxBodyBytes, injection.maxBytes),
      takesGzip: compression && mayBeGzipped,
      onChunk: (chunk) => exchange.came(chunk),
    });
  } catch (error) {
    const isTooLarge = error instanceof Refusal && error.code === 'body_too_large';
    if (isTooLarge && injection.maxBytes < maxBodyBytes) injection.refuseBody();
    throw error;
  }
}

function admit({ req }: RequestContext, exchange: Exchange, account: Account, limiter: RateLimiter): string {
  exchange.keyId = authenticate(req.header('authorization'), account.apiKeys);
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
      'or PUT {"primaryKey": NAME} to {api_url}/emulator/admin/primary-key.',
  );
}
