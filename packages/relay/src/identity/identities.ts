import { isNonEmptyString } from '@sluice/protocol/toolbox';
import { type Incoming, Refusal } from '../exchange.ts';
import type { Settings } from '../settings.ts';
import { Jwts } from './jwt.ts';
import type { Origins } from './origins.ts';
import { type Claims, Tickets } from './tickets.ts';

/** What a page gets that asks for a ticket. */
interface Issued {
  /** Left out if nobody is signed in. */
  readonly ticket?: string;
  readonly customer?: string | null | undefined;
  readonly expiresInMs: number;
  readonly acceptForMs: number;
  /** Events of other customers need no ticket yet. */
  readonly observe?: boolean;
}

/** Says for whom a page may speak. */
export class Identities {
  readonly #settings: Settings;
  readonly #origins: Origins;
  readonly #tickets: Tickets;
  readonly #jwts: Jwts | undefined;

  constructor(settings: Settings, origins: Origins) {
    const { baseUrl, correlationKey, jwt } = settings;
    this.#settings = settings;
    this.#origins = origins;
    this.#tickets = new Tickets({ ...settings, audience: `${correlationKey} of ${baseUrl}` });
    this.#jwts = jwt && new Jwts(jwt);
  }

  /** A ticket for whoever is signed in, or whom a JWT names. Throws a refusal if nobody is, and tickets are enforced. */
  async issue(jwt: unknown, incoming: Incoming): Promise<Issued> {
    const { acceptForMs, clock, enforcement, ticketMs: expiresInMs } = this.#settings;
    const customer = await (jwt === undefined ? this.#signedIn(incoming) : this.#named(jwt));
    const ticket = isNonEmptyString(customer) ? this.#tickets.issue(customer, clock.now()) : undefined;
    const isObserved = enforcement === 'observe';
    if (ticket === undefined && !isObserved) throw new Refusal('no_customer', undefined, { acceptForMs });
    const issued = { expiresInMs, acceptForMs, ...(isObserved && { observe: true }) };
    return ticket === undefined ? issued : { ticket, customer, ...issued };
  }

  /** The claims of a ticket. Throws a refusal if it does not count; undefined only while tickets are not enforced. */
  claims(ticket: unknown, now: number): Claims | undefined {
    try {
      return this.#tickets.read(ticket, now);
    } catch (error) {
      if (this.#settings.enforcement === 'enforce') throw error;
      return undefined;
    }
  }

  /** By the cookies of the request: those of a page of another origin count for nobody. */
  async #signedIn(incoming: Incoming): Promise<string | undefined | null> {
    const { enforcement, identify, jwt } = this.#settings;
    if (!this.#origins.isSame(incoming)) {
      // Such a page can never get a ticket here, and is to know that.
      if (!jwt && enforcement === 'enforce') throw new Refusal('wrong_origin');
      return undefined;
    }
    const customer = await identify?.(incoming.request(), incoming.native);
    // If a number counted as nobody, no event of this customer would arrive, and nothing would say why.
    if (customer && typeof customer !== 'string')
      throw new TypeError(`identify() must return a text or nothing, not a value of type ${typeof customer}`);
    return customer;
  }

  async #named(jwt: unknown): Promise<string | undefined> {
    const { clock, log } = this.#settings;
    const sub = typeof jwt === 'string' ? await this.#jwts?.read(jwt, clock.now()) : undefined;
    if (sub === undefined || typeof sub === 'string') return sub;
    // Nobody else would learn of it: only the site's back end can make such a JWT.
    const error = new TypeError(`the sub of a JWT must be a text, not a value of type ${typeof sub}`);
    log(error, 'Sluice relay: a JWT names no customer');
    return undefined;
  }
}
