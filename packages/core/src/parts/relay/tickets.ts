import { requestHeaders } from '@sluice/protocol';
import { type Clock, tried } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { loadText, saveText } from '../../keep/page/local-storage.ts';

/** The relay is asked again after twice this time, then less and less often. */
const ASK_AGAIN_MS = 5_000;
const MOST_ASK_AGAIN_MS = 10 * 60_000;

/** What the relay signed: its bearer may write events of one customer. */
interface Ticket {
  readonly ticket: string;
  /** For events until this time, in milliseconds since 1970. Later ones need a new ticket. */
  readonly until: number;
}

/** The tickets of all customers. */
export interface Tickets {
  /** The ticket for what a customer's page tracked at this time. If there is none, asks the relay for one. */
  find(customer: string, at: number | undefined): string | undefined;
  /** Whether the relay was asked for this customer, and somebody else is signed in, or nobody. */
  isDenied(customer: string): boolean;
  /** The relay does not take the ticket of this customer any more. */
  refuse(customer: string): void;
}

/** Returns the JWT of whoever is signed in. Undefined if the relay knows that by a cookie. */
export type Jwt = (() => string | undefined | PromiseLike<string | undefined>) | undefined;

interface TicketsOptions {
  readonly clock: Clock;
  /** The relay has answered, or may be asked again. */
  readonly onDue: () => void;
}

/** The pages of an origin share the tickets in localStorage. Without it, each page has its own. */
export function createTickets(url: string, jwt: Jwt, { clock, onDue }: TicketsOptions): Tickets {
  const known = new Map<string, Ticket>();
  /** The customers for whom it was asked: whether they were not signed in. */
  const wanted = new Map<string, boolean>();
  const retry = new Alarm(clock, onDue);
  let isAsking = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let times = 0;
  const nameOf = (customer: string) => `sluice ticket ${url} ${customer}`;

  /** The only request with cookies. They or the JWT say who is signed in. */
  const ask = async () => {
    isAsking = true;
    askedAt = clock.now();
    times += 1;
    try {
      const headers = requestHeaders(undefined);
      const body = JSON.stringify({ jwt: await jwt?.() });
      const answer = await fetch(url, { method: 'POST', headers, credentials: 'same-origin', body });
      const { customer, error, expiresInMs, ticket } = await answer.json();
      if (ticket || error === 'no_customer')
        for (const name of wanted.keys()) wanted.set(name, name !== customer);
      if (ticket) {
        const got: Ticket = { ticket, until: clock.now() + expiresInMs };
        known.set(customer, got);
        saveText(nameOf(customer), JSON.stringify(got));
      }
    } catch {
      // There is no network, or no relay.
      times = 0;
    }
    isAsking = false;
    onDue();
  };

  return {
    find(customer, at) {
      const now = clock.now();
      const fits = (found?: Ticket) => found && (at ?? now) <= found.until;
      let found = known.get(customer);
      // Another page may have a newer one.
      if (!fits(found)) found = tried(() => JSON.parse(loadText(nameOf(customer)) ?? ''));
      if (found && fits(found)) {
        known.set(customer, found);
        return found.ticket;
      }
      if (!wanted.has(customer)) {
        wanted.set(customer, false);
        askedAt = Number.NEGATIVE_INFINITY;
        times = 0;
      }
      const waitMs = askedAt + Math.min(MOST_ASK_AGAIN_MS, ASK_AGAIN_MS * 2 ** times) - now;
      if (!isAsking && waitMs > 0) retry.set(waitMs);
      else if (!isAsking) void ask();
      return undefined;
    },
    isDenied: (customer) => wanted.get(customer) === true,
    refuse(customer) {
      known.delete(customer);
      saveText(nameOf(customer), '');
    },
  };
}
