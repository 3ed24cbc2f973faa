import { ConfigError, requestHeaders } from '@sluice/protocol';
import { type Backoff, backoffDelayMs, type Clock, tried } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { hashOf } from '../../base/hash.ts';
import type { RelayWithJwt } from '../../options/options.ts';
import { AWAY } from '../../send/delivery-policy.ts';
import type { ReadRejected } from '../../send/http/transport.ts';
import { requestFailed } from '../../send/request-failed.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Parcel } from '../keep/parcel.ts';
import { loadText, saveText } from '../store/origin.ts';

/** Nobody is signed in, or the relay does not accept a ticket any more. */
export const UNAUTHORIZED = 401;
/** The relay is asked again after this time, again after twice this time, then less and less often, whatever it answered. */
const ASK_AGAIN: Backoff = { baseMs: 5_000, maxMs: 10 * 60_000 };

export interface RelayAddress {
  readonly baseUrl: string;
  readonly url: string;
  readonly path: string;
  /** Returns the JWT of whoever is signed in. Undefined if the relay knows that by a cookie. */
  readonly jwt?: RelayWithJwt['jwt'];
}

export interface Relay {
  /** Whether there is a ticket, or nobody will get one any more. If there is none, asks the relay for one. */
  mayGo(parcel: Parcel): boolean;
  /** What a request has besides its events. Undefined: there is no ticket. */
  fields(parcel: Parcel, texts: readonly string[], isNamed: boolean): object | undefined;
  /** It does not accept the ticket any more. */
  refuse(customer: string): void;
  /** When it may be asked again. If this is cancelled, it is asked for the next event without a ticket. */
  readonly retry: Alarm;
  /** Whether it was asked for a ticket, and has not answered yet. */
  readonly isAsking: boolean;
  readonly refused: ReadRejected;
}

/** What the relay signed: its bearer may write events of one customer. */
interface Ticket {
  /** Empty if the relay asks for none yet. */
  readonly ticket: string;
  /** For events until this time, in milliseconds since 1970. Later ones need a new ticket. */
  readonly until: number;
}

/** Where the option `relay` leads to. */
export function relayOf(to: string | RelayWithJwt, options: object): RelayAddress {
  if ('apiKey' in options) throw new ConfigError('apiKey', 'leave apiKey out: the relay has it');
  const { url, ...others } = typeof to === 'string' ? { url: to } : to;
  const { href, origin: baseUrl } = new URL(url, globalThis.location?.href);
  return { baseUrl, url: href, path: href.slice(baseUrl.length), ...others };
}

/**
 * A relay wants a ticket of the customer in each request. The pages of an origin share the tickets in localStorage; without it, each
 * page has its own. What it may have taken already is sent again under the same name.
 *
 * @param onDue The relay has answered, or may be asked again.
 */
export function createRelay(
  { url, jwt }: RelayAddress,
  clock: Clock,
  onDue: () => void,
  reporter: Reporter,
): Relay {
  const known = new Map<string, Ticket>();
  /** The customers for whom it was asked, and how old their events may be that wait: for ever, unless somebody else is signed in. */
  const wanted = new Map<string, number>();
  /** What pages share, as it was read last, and when and for whom that was: one look at all that waits reads it once. */
  let shared: Ticket | undefined;
  let sharedFor = '';
  const retry = new Alarm(clock, onDue);
  let times = 0;
  let asking = 0;
  const nameOf = (customer: string) => `sluice ticket ${url} ${customer}`;

  /** The only request with cookies. They or the JWT say who is signed in. */
  async function ask(): Promise<void> {
    retry.set(backoffDelayMs(times++, ASK_AGAIN, () => 1));
    asking += 1;
    try {
      const headers = requestHeaders(undefined);
      const body = JSON.stringify({ jwt: await jwt?.() });
      const answer = await fetch(url, { method: 'POST', headers, credentials: 'same-origin', body });
      if (answer.status > UNAUTHORIZED) throw new Error(`${answer.status}`);
      const told = await answer.json();
      for (const name of wanted.keys()) {
        const isTheirs = name === told.customer;
        if (told.acceptForMs) wanted.set(name, isTheirs ? Number.POSITIVE_INFINITY : told.acceptForMs);
        if (!isTheirs && !told.observe) continue;
        const got: Ticket = { ticket: isTheirs ? told.ticket : '', until: clock.now() + told.expiresInMs };
        known.set(name, got);
        saveText(nameOf(name), JSON.stringify(got));
      }
    } catch (cause) {
      // There is no network, or no relay. It is asked again within two minutes.
      times = Math.min(times, 4);
      const outcome = { kind: 'failed', cause, maybeSent: false } as const;
      reporter.requestFailed(requestFailed(outcome, AWAY, url, clock.now()));
    }
    asking -= 1;
    onDue();
  }

  /** The ticket for what a customer's page tracked at this time. If there is none, asks the relay for one. */
  function find({ at, customer }: Parcel): string | undefined {
    const now = clock.now();
    const readFor = `${now} ${customer}`;
    // Another page may have a newer one.
    if (sharedFor !== readFor) shared = tried(() => JSON.parse(loadText(nameOf(customer)) ?? ''));
    sharedFor = readFor;
    for (const found of [known.get(customer), shared]) {
      // The clock may have been set back since.
      if (found && Math.min(at, now) <= found.until) return found.ticket;
    }
    if (!wanted.has(customer) || known.delete(customer)) {
      wanted.set(customer, Number.POSITIVE_INFINITY);
      times = 0;
      if (retry.isSet) {
        retry.cancel();
        retry.set(ASK_AGAIN.baseMs);
      }
    }
    if (!retry.isSet) void ask();
    return undefined;
  }

  return {
    mayGo: (parcel) =>
      !parcel.customer ||
      find(parcel) !== undefined ||
      clock.now() - parcel.at > (wanted.get(parcel.customer) ?? 0),
    fields(parcel, texts, isNamed) {
      const ticket = find(parcel);
      return ticket === undefined ? undefined : { ticket, parcel: isNamed ? idOf(`${texts}`) : undefined };
    },
    get isAsking() {
      return asking > 0;
    },
    retry,
    refuse(customer) {
      known.delete(customer);
      sharedFor = '';
      saveText(nameOf(customer), '');
    },
    // Each event of the request once, and nothing else, whatever the answer names.
    refused: ({ texts }, { body }) =>
      tried(() => {
        const refused = new Map<unknown, unknown>([...JSON.parse(body).refused]);
        return texts.flatMap((_, index) => (refused.has(index) ? [[index, `${refused.get(index)}`]] : []));
      }),
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
  return start + hashOf(text).toString(16).padStart(12, '0');
}
