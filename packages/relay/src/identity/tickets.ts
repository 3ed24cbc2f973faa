import { createHmac, timingSafeEqual } from 'node:crypto';
import { isNonEmptyString } from '@sluice/protocol/toolbox';
import { Refusal } from '../exchange.ts';
import { Recent } from '../recent.ts';

/** What a ticket says, once its HMAC holds. */
export interface Claims {
  readonly customer: string;
  /** In milliseconds since 1970, by the relay's clock. */
  readonly issued: number;
  readonly expires: number;
  /** One for each ticket. */
  readonly name: string;
}

interface Known {
  readonly claims: Claims;
  readonly mac: Buffer;
}

interface TicketsOptions {
  /** The first one signs. The others are older, and still count. */
  readonly secrets: readonly string[];
  /** Whom the events are for: a ticket of another relay with the same secret does not count. */
  readonly audience: string;
  readonly ticketMs: number;
  readonly acceptForMs: number;
}

const MOST_CHARACTERS = 2_048;
const MOST_KNOWN = 10_000;
const FORM = /^[\w-]+\.[\w-]{43}$/;

/** Makes and checks tickets. A ticket allows its bearer to write events for one customer, and nothing else. */
export class Tickets {
  readonly #options: TicketsOptions;
  /** By `kid`: the id of the secret, which reveals nothing about it. */
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #kid: string;
  /** By what they sign. To compute an HMAC takes longer than the rest of a request. */
  readonly #known = new Recent<Known>(MOST_KNOWN);

  constructor(options: TicketsOptions) {
    this.#options = options;
    const keys = options.secrets.map((secret) => hmac(secret, `sluice ticket for ${options.audience}`));
    const ids = keys.map((key) => hmac(key, 'kid').toString('base64url').slice(0, 8));
    this.#keys = new Map(keys.map((key, index) => [ids[index] ?? '', key]));
    this.#kid = ids[0] ?? '';
  }

  /** Undefined if the customer is too long for a ticket. */
  issue(customer: string, now: number): string | undefined {
    const claims = [customer, now, now + this.#options.ticketMs, this.#kid];
    const signed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const ticket = `${signed}.${this.#mac(this.#kid, signed).toString('base64url')}`;
    return ticket.length > MOST_CHARACTERS ? undefined : ticket;
  }

  /** The claims of a ticket that counts. Throws a refusal for any other. */
  read(ticket: unknown, now: number): Claims {
    const { claims } = this.#check(ticket);
    if (now > claims.expires + this.#options.acceptForMs) throw new Refusal('ticket_expired');
    return claims;
  }

  #check(ticket: unknown): Known {
    if (typeof ticket !== 'string' || ticket.length > MOST_CHARACTERS || !FORM.test(ticket)) {
      throw new Refusal('ticket_invalid');
    }
    const end = ticket.indexOf('.');
    const signed = ticket.slice(0, end);
    const remembered = this.#known.get(signed);
    const known = remembered ?? this.#parse(signed);
    if (!timingSafeEqual(known.mac, Buffer.from(ticket.slice(end + 1), 'base64url'))) {
      throw new Refusal('ticket_invalid');
    }
    if (remembered === undefined) this.#known.set(signed, known);
    return known;
  }

  /** What a ticket says, and the HMAC that it must have. */
  #parse(signed: string): Known {
    const [customer, issued, expires, kid] = partsOf(signed);
    if (!isNonEmptyString(customer) || typeof issued !== 'number' || typeof expires !== 'number') {
      throw new Refusal('ticket_invalid');
    }
    // Its secret may be gone: then the page gets a new ticket.
    if (typeof kid !== 'string' || !this.#keys.has(kid)) throw new Refusal('ticket_expired');
    return {
      claims: { customer, issued, expires, name: `${issued} ${customer}` },
      mac: this.#mac(kid, signed),
    };
  }

  #mac(kid: string, signed: string): Buffer {
    return hmac(this.#keys.get(kid) ?? '', signed);
  }
}

export function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function partsOf(signed: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(signed, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
