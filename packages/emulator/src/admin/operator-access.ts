import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { Refusal } from '../events/refusal.ts';
import type { Environment, RequestContext } from '../running/application.ts';
import type { ApiKeyStore } from '../storage/api-key-store.ts';

const BEARER = 'Bearer ';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The API key of a process on loopback that got none. It is in the documents, so pages of all sites know it. */
export const LOCAL_KEY = 'emulator_local';

/** Whether a server that listens on `host` can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/** Whether a path on the API address is a page or a route of the emulator itself. All others are of the interface. */
export function isOwn(path: string): boolean {
  return /^\/($|(assets|emulator)\/)/.test(path);
}

/** Whether a valid API key may read this path, from any origin: it has events or counts, and nothing else of the account. */
export function isForKeys(path: string): boolean {
  return /^\/emulator\/(counts|events(\/(count|values|export))?)$/.test(path);
}

/**
 * Lets the operator pass, to the pages and all routes. With a token, that is whoever presents it: as `Authorization: Bearer TOKEN`,
 * or in the cookie that a page gets when it is opened with `?token=`. Without a token, which is for loopback only, it is whoever
 * comes from this machine. Even then, pages of other sites in a browser on this machine are refused. Who has an API key may read
 * events and counts. With {@link LOCAL_KEY}, only processes and pages on this machine may.
 */
export function guardOf(token: string | undefined, keys: ApiKeyStore): MiddlewareHandler<Environment> {
  const isToken = (given: string | null | undefined): boolean =>
    token !== undefined && typeof given === 'string' && timingSafeEqual(digest(given), digest(token));
  return async (context, next) => {
    const { req } = context;
    const url = new URL(req.url);
    // A browser sends the cookies of a host to all its ports, where other emulators may have other tokens.
    const cookie = `sluice_emulator_token_${url.port}`;
    const authorization = req.header('authorization');
    if (isForKeys(url.pathname) && authorization !== undefined && !authorization.startsWith(BEARER)) {
      keys.authenticate(authorization);
      checkLocalKey(req);
      return next();
    }
    if (token === undefined && !LOOPBACK.test(url.hostname)) {
      // A name of another site may resolve to this machine. Then the pages of that site would count as ours (DNS rebinding).
      throw new Refusal('not_operator', 'Open pages and routes by localhost or a loopback address.');
    }
    if (authorization?.startsWith(BEARER) && isToken(authorization.slice(BEARER.length))) return next();
    if (url.pathname === '/' && isToken(url.searchParams.get('token'))) {
      setCookie(context, cookie, String(token), { httpOnly: true, sameSite: 'Strict', path: '/' });
      // So that a link of another site can lead to the pages. It counts for nothing else.
      setCookie(context, `${cookie}_link`, String(token), { httpOnly: true, sameSite: 'Lax', path: '/' });
      return context.redirect('/');
    }
    const origin = req.header('origin');
    // A link of another site may lead to the pages: that site sees nothing of them.
    const isLink =
      url.pathname === '/' &&
      req.header('sec-fetch-mode') === 'navigate' &&
      req.header('sec-fetch-dest') === 'document';
    const isCrossSite = !isLink && req.header('sec-fetch-site') === 'cross-site';
    // A page at another port of this host is same-site, so its requests carry the cookie. That is why the origin is compared.
    if ((origin !== undefined && origin !== url.origin) || isCrossSite) {
      const rule = 'Pages of another origin may only read events and counts, with an API key.';
      throw new Refusal('not_operator', rule);
    }
    if (token === undefined || isToken(getCookie(context, cookie))) return next();
    if (url.pathname === '/' && isToken(getCookie(context, `${cookie}_link`))) return next();
    const how = 'send Authorization: Bearer TOKEN, or open the pages with ?token=TOKEN';
    throw new Refusal('not_operator', `Pages and routes need the operator's token: ${how}.`);
  };
}

/** Throws {@link Refusal} if a request has {@link LOCAL_KEY}, and its address or that of the page that sent it is not loopback. */
export function checkLocalKey(req: RequestContext['req']): void {
  if (req.header('authorization') !== `Api-Key ${LOCAL_KEY}`) return;
  const { origin = req.url } = req.header();
  // The address is checked too: a name of another site may resolve to this machine.
  if ([req.url, origin].every((each) => URL.canParse(each) && LOOPBACK.test(new URL(each).hostname))) return;
  const rule = `Everybody knows the key ${LOCAL_KEY}. So it reads only by a loopback address, and for pages of one`;
  throw new Refusal('not_operator', `${rule}. Start with --api-key to choose another key.`);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
