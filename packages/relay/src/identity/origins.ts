import { type Answer, type Incoming, Refusal } from '../exchange.ts';

const DAY_S = '86400';
const PORTS = { https: 443, http: 80 } as const;

/** Decides which pages may use the relay. */
export class Origins {
  /** Undefined: only pages of the relay's own origin. */
  readonly #allowed: ReadonlySet<string> | undefined;

  constructor(allowed: readonly string[] | undefined) {
    this.#allowed = allowed && new Set(allowed);
  }

  /** Whether the page is of an allowed origin. Each browser names it with each POST that a script makes. */
  allows(incoming: Incoming): boolean {
    const { host, isSecure } = incoming;
    const origin = incoming.header('origin');
    if (origin === undefined || host === undefined) return false;
    if (this.#allowed) return this.#allowed.has(origin);
    // A proxy in front of the relay may have ended TLS. The reverse would let plain HTTP speak for HTTPS.
    return isOriginOf(origin, 'https', host) || (!isSecure && isOriginOf(origin, 'http', host));
  }

  /**
   * Whether cookies may count: only if the browser says that the page is of the relay's own origin, or is too old to say
   * anything. A subdomain is of the same site, so it gets `SameSite=Strict` cookies too.
   */
  isSame(incoming: Incoming): boolean {
    const site = incoming.header('sec-fetch-site');
    return site === undefined || site === 'same-origin';
  }

  /** The CORS headers of an answer. Undefined without a list of origins: then pages of other origins read no answer. */
  cors(incoming: Incoming): Answer['headers'] | undefined {
    const origin = incoming.header('origin');
    if (this.#allowed === undefined || origin === undefined || !this.#allowed.has(origin)) return undefined;
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, date',
      vary: 'origin',
    };
  }

  /** The answer to a preflight request. Throws a refusal if its origin is not allowed. */
  preflight(incoming: Incoming): Answer {
    const cors = this.cors(incoming);
    if (cors === undefined) throw new Refusal('wrong_origin');
    return {
      status: 204,
      headers: {
        ...cors,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type, content-encoding',
        'access-control-max-age': DAY_S,
      },
      body: '',
    };
  }
}

/** A browser leaves out the usual port. Some proxies add it to `Host`. */
function isOriginOf(origin: string, scheme: 'https' | 'http', host: string): boolean {
  return origin === `${scheme}://${host}` || `${origin}:${PORTS[scheme]}` === `${scheme}://${host}`;
}
