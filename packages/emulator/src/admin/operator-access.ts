import { timingSafeEqual } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import { Refusal } from '../events/refusal.ts';
import type { RequestContext } from '../running/application.ts';

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
