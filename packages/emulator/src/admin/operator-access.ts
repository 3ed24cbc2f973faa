import { timingSafeEqual } from 'node:crypto';
import type { RequestContext } from '../application.ts';
import { Refusal } from '../refusal.ts';

const COOKIE = 'sluice_emulator_token';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether `host`, as one listens on it, is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/**
 * Guards pages and admin routes. With a token, whoever has it is the operator: as `Authorization: Bearer TOKEN`, or in
 * the cookie that a page is given which is opened with `?token=`. Without one, which is for loopback only, it is whoever
 * comes from this machine; pages of other sites that a browser here shows are kept out all the same.
 */
export class OperatorAccess {
  readonly #token: string | undefined;

  constructor(token: string | undefined) {
    this.#token = token;
  }

  /** Throws {@link Refusal} unless the request is the operator's. */
  check({ req }: RequestContext): void {
    const url = new URL(req.url);
    if (this.#token === undefined && !LOOPBACK.test(url.hostname)) {
      // A name of another site that resolves to this machine would make its pages ours (DNS rebinding).
      throw new Refusal('not_operator', 'Open pages and admin routes by localhost or a loopback address.');
    }
    if (this.#isToken(bearer(req))) return;
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    // A page at another port of this host is of the same site, so its requests carry the cookie.
    if ((origin !== undefined && origin !== url.origin) || site === 'cross-site') {
      throw new Refusal('not_operator', 'Pages of another origin may not use the admin routes.');
    }
    if (this.#token === undefined || this.#isToken(cookie(req))) return;
    const how = 'send Authorization: Bearer TOKEN, or open a page with ?token=TOKEN';
    throw new Refusal('not_operator', `Pages and admin routes need the operator's token: ${how}.`);
  }

  /** Whether a request would be the operator's if it had the token. */
  lacksToken({ req }: RequestContext): boolean {
    return this.#token !== undefined && !this.#isToken(bearer(req)) && !this.#isToken(cookie(req));
  }

  /** The header that remembers the token of a page's address in a cookie; undefined where it carries none that is right. */
  cookie(token: string | undefined): string | undefined {
    if (token === undefined || !this.#isToken(token)) return undefined;
    return `${COOKIE}=${encodeURIComponent(token)}; HttpOnly; SameSite=Strict; Path=/`;
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

function cookie(request: RequestContext['req']): string | undefined {
  const cookies = request.header('cookie')?.split('; ') ?? [];
  const found = cookies.find((one) => one.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  try {
    return found && decodeURIComponent(found);
  } catch {
    return undefined; // not one that we set
  }
}
