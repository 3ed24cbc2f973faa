import { ConfigError } from '@sluice/protocol';
import { type Clock, tried } from '@sluice/protocol/toolbox';
import { hashOf } from '../../base/hash.ts';
import type { RelayWithJwt } from '../../options/options.ts';
import type { Parcel } from '../keep/parcel.ts';
import { createTickets } from '../send/tickets.ts';

export interface RelayAddress {
  readonly baseUrl: string;
  readonly url: string;
  readonly path: string;
  readonly jwt?: RelayWithJwt['jwt'];
}

export interface Relay {
  /** Whether there is a ticket, or nobody will get one any more. */
  mayGo(parcel: Parcel): boolean;
  /** What a request has besides its events. Undefined: there is no ticket. */
  fields(parcel: Parcel, texts: readonly string[], isNamed: boolean): object | undefined;
  /** It does not accept the ticket any more. */
  refuse(customer: string): void;
  /** The events that it refused, and why. */
  refused(body: string): readonly (readonly [index: number, reason: string])[];
}

/** Where the option `relay` leads to. */
export function relayOf(to: string | RelayWithJwt, options: object): RelayAddress {
  if ('apiKey' in options) throw new ConfigError('apiKey', 'leave apiKey out: the relay has it');
  const { url, ...others } = typeof to === 'string' ? { url: to } : to;
  const { href, origin: baseUrl } = new URL(url, globalThis.location?.href);
  return { baseUrl, url: href, path: href.slice(baseUrl.length), ...others };
}

/** A relay wants a ticket of the customer in each request. What it may have taken already is sent again under the same name. */
export function createRelay({ url, jwt }: RelayAddress, clock: Clock, onDue: () => void): Relay {
  const tickets = createTickets(url, jwt, { clock, onDue });
  return {
    mayGo: ({ at, customer }) =>
      customer === '' ||
      tickets.find(customer, at) !== undefined ||
      at < clock.now() - tickets.maxAgeMs(customer),
    fields({ at, customer }, texts, isNamed) {
      const ticket = tickets.find(customer, at);
      return ticket === undefined ? undefined : { ticket, parcel: isNamed ? idOf(`${texts}`) : undefined };
    },
    refuse: tickets.refuse,
    refused: (body) => tried(() => JSON.parse(body).refused) ?? [],
  };
}

/** Finds out whose events a parcel has, and cuts it where it has those of several. Returns whether that was not known. */
export function nameCustomer(parcel: Parcel, cut: (parcel: Parcel, count: number) => Parcel[]): boolean {
  const { customer, texts = [] } = parcel;
  const [owner = '', ...others] = texts.map(customerOf);
  parcel.customer = owner;
  const same = others.findIndex((other) => other !== owner) + 1;
  for (const part of same > 0 ? cut(parcel, same) : []) {
    part.state = 'waiting';
    nameCustomer(part, cut);
  }
  return same > 0 || customer !== owner;
}

function customerOf(text: string): string {
  return tried(() => JSON.parse(text).correlationValue) ?? '';
}

/** A UUID, the same for the same events: the start of that of the first event, and a hash of all. */
function idOf(text: string): string {
  const [, start = ''] = /"uuid":"(.{24})/.exec(text) ?? [];
  return start + Number.parseInt(hashOf(text), 36).toString(16).padStart(12, '0');
}
