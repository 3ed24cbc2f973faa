import type { HttpBindings } from '@hono/node-server';
import { ConfigError } from '@sluice/protocol';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { Refusal } from '../events/refusal.ts';
import { refusalAnswer, respond } from '../http/answers.ts';
import type { Exchange } from '../http/exchange.ts';
import { quote } from '../messages.ts';
import { sqliteCode } from '../storage/database.ts';
import type { Logger } from './logger.ts';

/** Serves the requests to one base address. */
export type Application = Hono<Environment>;

/** The context that a handler gets. */
export type RequestContext = Context<Environment>;

/** Node's request and response, and the values that belong to a request. */
export interface Environment {
  Bindings: HttpBindings;
  Variables: {
    /** Set for requests to the interface. */
    exchange: Exchange | undefined;
  };
}

/** The methods that a route can have. */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const PREFLIGHT_MAX_AGE_S = 7_200;

/** Settings of an application, apart from its routes. */
interface ApplicationOptions {
  readonly logger: Logger;
  /** The paths on this base address, and whether a path is on the other one: for messages. */
  readonly here: readonly string[];
  readonly isElsewhere: (path: string) => boolean;
  /** The other base address. It is a function because the port is known only once the emulator listens. */
  readonly otherUrl: () => string;
  /** Whether pages of any origin may use a path. Default: each path. */
  readonly isForOthers?: (path: string) => boolean;
  /** Creates the exchange of a request; undefined if the request is not to the interface. */
  readonly begin: (context: RequestContext) => Exchange | undefined;
}

/** Creates an application without routes: it refuses every path, logs requests, and stores those to the interface. */
export function createApplication(options: ApplicationOptions): Application {
  const { logger, isForOthers = () => true, begin } = options;
  const application: Application = new Hono();
  const anyOrigin = cors({
    origin: '*',
    allowMethods: ['POST'],
    // `content-encoding` is allowed even if compressed bodies are refused, so that a page can read the refusal.
    allowHeaders: ['authorization', 'content-type', 'content-encoding'],
    exposeHeaders: ['Date', 'Retry-After'],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
  application.use((context, next) => (isForOthers(context.req.path) ? anyOrigin(context, next) : next()));
  application.use(async (context, next) => {
    const startedAt = performance.now();
    const exchange = begin(context);
    context.set('exchange', exchange);
    await next();
    const { method, path } = context.req;
    const { status } = context.res;
    if (exchange !== undefined) {
      // The client has disconnected and gets no answer.
      if (context.env.incoming.socket.destroyed) exchange.isCut = true;
      exchange.end(status);
    }
    logger.debug({ method, path, status, ms: Math.round(performance.now() - startedAt) }, 'request');
  });
  application.notFound((context) => {
    const message = explainUnknownPath(context.req.path, options);
    return refuse(context, new Refusal('unknown_path', message), logger);
  });
  application.onError((error, context) => {
    if (error instanceof Refusal) return refuse(context, error, logger);
    if (error instanceof ConfigError) {
      return refuse(context, new Refusal('invalid_field', error.message, { field: error.option }), logger);
    }
    logger.error({ method: context.req.method, path: context.req.path, err: error }, 'request failed');
    if (sqliteCode(error) === 'SQLITE_FULL') {
      const message = 'The disk that holds the data directory is full. Make room on it, then send again.';
      return refuse(context, new Refusal('storage_full', message), logger);
    }
    const message = 'The emulator failed at this request. This is a defect of it; its log says more.';
    return refuse(context, new Refusal('internal_error', message), logger);
  });
  return application;
}

/** Handles a request. Returns a response, or a value for a JSON body; undefined for status 204. */
type RouteHandler = (context: RequestContext) => unknown;

/** Serves these methods at `path`, and refuses other methods there. */
export function addRoutes(
  application: Application,
  path: string,
  handlers: Readonly<Partial<Record<Method, RouteHandler>>>,
): void {
  for (const [method, handle] of Object.entries(handlers)) {
    application.on(method, path, async (context) => {
      const result = await handle(context);
      if (result instanceof Response) return result;
      if (result === undefined) return context.body(null, 204);
      return context.json(result, 200, { 'cache-control': 'no-store' });
    });
  }
  const methods = Object.keys(handlers);
  application.all(path, (context) => {
    const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)), 'OPTIONS'];
    const message = `${context.req.path} takes ${methods.join(', ')}, got ${context.req.raw.method}.`;
    throw new Refusal('wrong_method', message, { headers: { allow: allow.join(', ') } });
  });
}

function refuse(context: RequestContext, refusal: Refusal, logger: Logger): Response {
  const { method, path } = context.req;
  const { code, details } = refusal;
  const exchange = context.get('exchange');
  if (exchange !== undefined) exchange.error = refusal.body.error;
  const answer = refusalAnswer(refusal, exchange?.behaviour);
  logger.info({ method, path, status: answer.status, code, field: details.field }, 'request refused');
  return exchange === undefined ? respond(answer) : exchange.respond(answer);
}

/** Explains why there is nothing at `path`, and what was probably meant. */
function explainUnknownPath(path: string, { here, isElsewhere, otherUrl }: ApplicationOptions): string {
  const nothing = `There is nothing at ${quote(path)}`;
  if (here.includes(`${path}/`)) return `${nothing}: the trailing slash is missing.`;
  if (path.endsWith('/') && here.includes(path.slice(0, -1))) return `${nothing}: it has no trailing slash.`;
  if (isElsewhere(path)) return `${nothing}: that path is on the other base address, ${otherUrl()}.`;
  return `${nothing} on this base address: there is ${here.join(', ')}.`;
}
