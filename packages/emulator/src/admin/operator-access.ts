import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { Refusal } from '../events/refusal.ts';
import type { Environment } from '../running/application.ts';

const COOKIE = 'sluice_emulator_token';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a server that listens on `host` can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/**
 * Lets only the operator pass, to the pages and the admin routes. With a token, that is whoever presents it: as `Authorization:
 * Bearer TOKEN`, or in the cookie that a page gets when it is opened with `?token=`. Without a token, which is for loopback only,
 * it is whoever comes from this machine. Even then, pages of other sites in a browser on this machine are refused.
 */
export function operatorOnly(token: string | undefined): MiddlewareHandler<Environment> {
  const isToken = (given: string | null | undefined): boolean =>
    token !== undefined && typeof given === 'string' && timingSafeEqual(digest(given), digest(token));
  return async (context, next) => {
    const { req } = context;
    const url = new URL(req.url);
    if (token === undefined && !LOOPBACK.test(url.hostname)) {
      // A name of another site may resolve to this machine. Then the pages of that site would count as ours (DNS rebinding).
      throw new Refusal('not_operator', 'Open pages and admin routes by localhost or a loopback address.');
    }
    if (isToken(req.header('authorization')?.match(/^Bearer (.+)$/)?.[1])) return next();
    if (url.pathname === '/' && isToken(url.searchParams.get('token'))) {
      setCookie(context, COOKIE, String(token), { httpOnly: true, sameSite: 'Strict', path: '/' });
      return context.redirect('/');
    }
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    // A page at another port of this host is same-site, so its requests carry the cookie. That is why the origin is compared.
    if ((origin !== undefined && origin !== url.origin) || site === 'cross-site') {
      throw new Refusal('not_operator', 'Pages of another origin may not use the admin routes.');
    }
    if (token === undefined || isToken(getCookie(context, COOKIE))) return next();
    const how = 'send Authorization: Bearer TOKEN, or open the pages with ?token=TOKEN';
    throw new Refusal('not_operator', `Pages and admin routes need the operator's token: ${how}.`);
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
