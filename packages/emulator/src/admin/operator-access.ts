import { timingSafeEqual } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import { Refusal } from '../events/refusal.ts';
import { type Application, addRoutes, type Method, type RequestContext } from '../running/application.ts';

/** Where the admin routes are, on the API address. */
export const ADMIN_PATH = '/emulator/admin';

/** Handles a request of the operator. Returns a response, or a value for a JSON body; undefined for status 204. */
type AdminHandler = (context: RequestContext) => unknown;

/** Adds a path, below {@link ADMIN_PATH}. */
export type AdminRoutes = (path: string, handlers: Readonly<Partial<Record<Method, AdminHandler>>>) => void;

const COOKIE = 'sluice_emulator_token';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a server that listens on `host` can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/**
 * Guards the pages and the admin routes. With a token, the operator is whoever presents it: as `Authorization: Bearer TOKEN`, or
 * in the cookie that a page gets when it is opened with `?token=`. Without a token, which is for loopback only, the operator is
 * whoever comes from this machine. Even then, pages of other sites in a browser on this machine are refused.
 */
export class OperatorAccess {
  readonly #token: string | undefined;

  constructor(token: string | undefined) {
    this.#token = token;
  }

  /** Throws {@link Refusal} unless the request comes from the operator. */
  check(context: RequestContext): void {
    const { req } = context;
    const url = new URL(req.url);
    if (this.#token === undefined && !LOOPBACK.test(url.hostname)) {
      // A name of another site may resolve to this machine. Then the pages of that site would count as ours (DNS rebinding).
      throw new Refusal('not_operator', 'Open pages and admin routes by localhost or a loopback address.');
    }
    if (this.#isToken(bearer(req))) return;
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    // A page at another port of this host is same-site, so its requests carry the cookie. That is why the origin is compared.
    if ((origin !== undefined && origin !== url.origin) || site === 'cross-site') {
      throw new Refusal('not_operator', 'Pages of another origin may not use the admin routes.');
    }
    if (this.#token === undefined || this.#isToken(getCookie(context, COOKIE))) return;
    const how = 'send Authorization: Bearer TOKEN, or open a page with ?token=TOKEN';
    throw new Refusal('not_operator', `Pages and admin routes need the operator's token: ${how}.`);
  }

  /** Whether a token is needed and the request carries no valid one. */
  lacksToken(context: RequestContext): boolean {
    const isShown = this.#isToken(bearer(context.req)) || this.#isToken(getCookie(context, COOKIE));
    return this.#token !== undefined && !isShown;
  }

  /** Stores the token of a page's address in a cookie. Returns false if there is no token, or a wrong one. */
  remember(context: RequestContext, token: string | undefined): boolean {
    if (token === undefined || !this.#isToken(token)) return false;
    setCookie(context, COOKIE, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return true;
  }

  #isToken(presented: string | undefined): boolean {
    if (this.#token === undefined || presented === undefined) return false;
    const token = Buffer.from(this.#token);
    const given = Buffer.from(presented);
    return given.length === token.length && timingSafeEqual(given, token);
  }
}

function bearer(request: RequestContext['req']): string | undefined {
  return request.header('authorization')?.match(/^Bearer (.+)$/)?.[1];
}

/**
 * The admin routes of an emulator. The pages use them, and any other program can use them to set up the emulator over HTTP. They
 * are for the operator only.
 */
export function adminRoutes(application: Application, access: OperatorAccess): AdminRoutes {
  const guard = (handle: AdminHandler) => async (context: RequestContext) => {
    access.check(context);
    const result = await handle(context);
    if (result instanceof Response) return result;
    if (result === undefined) return context.body(null, 204);
    return context.body(JSON.stringify(result), 200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
  };
  return (path, handlers) => {
    const guarded = Object.entries(handlers).map(([method, handle]) => [method, guard(handle)] as const);
    addRoutes(application, ADMIN_PATH + path, Object.fromEntries(guarded));
  };
}
