import { ConfigError } from '@sluice/protocol';
import { createRelayParts, type RelayParts } from './relay-parts.ts';

/** A relay that knows customers by a JWT of the site's back end, and not by a cookie. */
export interface RelayWithJwt {
  /** A path of the page's own origin, such as `/s`, or an http or https URL. */
  readonly url: string;
  /** Returns the JWT of whoever is signed in; undefined if nobody is. Called for each ticket. */
  readonly jwt: () => string | undefined | PromiseLike<string | undefined>;
}

/** What this part sees of the options. */
interface Relayed {
  readonly relay?: string | RelayWithJwt | undefined;
  readonly enabled?: boolean | undefined;
  readonly storage?: object | undefined;
  readonly parts?: Partial<RelayParts> | undefined;
}

/**
 * Changes options with a `relay`, and the defaults of the platform, so that events go to the relay. Undefined without a `relay`.
 *
 * @throws An error if `relay` is no address, or if there is a key.
 */
export type RelayPart = <Options extends Relayed, Defaults extends { readonly parts: Partial<RelayParts> }>(
  options: Options,
  defaults: Defaults,
) => readonly [Options, Defaults] | undefined;

/**
 * For pages: sends events to a relay of `@sluice/relay`. The page has no key, and the relay says for whom the page may speak.
 * @example createTracker({ relay: '/s', correlationKey: 'email' });
 */
export const relay: RelayPart = (given, defaults) => {
  const { relay: to, ...options } = given;
  if (to === undefined || options.enabled === false) return undefined;
  if ('apiKey' in options) throw new ConfigError('apiKey', 'leave apiKey out: the relay has it');
  const { url, jwt } = typeof to === 'string' ? { url: to } : to;
  const { href, origin } = new URL(url, globalThis.location?.href);
  const parts = { ...options.parts, ...defaults.parts };
  const own = createRelayParts(href, jwt, parts.bounds);
  // Without that part, the tracker must say that it is missing.
  const bounds = options.storage && !parts.bounds ? undefined : own.bounds;
  const relayed = {
    ...options,
    baseUrl: origin,
    destination: { path: href.slice(origin.length) },
    ordering: 'per-customer',
  };
  // The casts are safe: these are the options and the defaults that were given, with others of the same types.
  return [
    relayed as object as typeof given,
    { ...defaults, parts: { ...parts, ...own, bounds } } as typeof defaults,
  ];
};
