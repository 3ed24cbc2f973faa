import { requestHeaders } from '@sluice/protocol';
import { type Clock, tried } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { loadText, saveText } from '../store/local-storage.ts';

/** The relay is asked for another customer after this time, again after twice this time, then less and less often. */
const ASK_AGAIN_MS = 5_000;
const MOST_ASK_AGAIN_MS = 10 * 60_000;

/** What the relay signed: its bearer may write events of one customer. */
interface Ticket {
  /** Empty if the relay asks for none yet. */
  readonly ticket: string;
  /** For events until this time, in milliseconds since 1970. Later ones need a new ticket. */
  readonly until: number;
}

/** The tickets of all customers. */
export interface Tickets {
  /** The ticket for what a customer's page tracked at this time. If there is none, asks the relay for one. */
  find(customer: string, at: number | undefined): string | undefined;
  /**
   * How old an event may be that waits for a ticket of this customer, in milliseconds. If somebody else is signed in, or nobody: as
   * long as the relay takes events under a ticket that has ended.
   */
  maxAgeMs(customer: string): number;
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
  /** Its default, until the relay has said it. */
  let acceptForMs = 7 * 24 * 60 * 60_000;
  let askedAt = 0;
  let times = 0;
  const nameOf = (customer: string) => `sluice ticket ${url} ${customer}`;

  /** The only request with cookies. They or the JWT say who is signed in. */
  const ask = async () => {
    askedAt = clock.now();
    times += 1;
    // Perhaps nobody answers.
    retry.set(ASK_AGAIN_MS);
    try {
      const headers = requestHeaders(undefined);
      const body = JSON.stringify({ jwt: await jwt?.() });
      const answer = await fetch(url, { method: 'POST', headers, credentials: 'same-origin', body });
      const told = await answer.json();
      acceptForMs = told.acceptForMs ?? acceptForMs;
      for (const name of wanted.keys()) {
        const isTheirs = name === told.customer;
        if (told.acceptForMs) wanted.set(name, !isTheirs);
        if (isTheirs || told.observe) {
          const got: Ticket = { ticket: isTheirs ? told.ticket : '', until: clock.now() + told.expiresInMs };
          known.set(name, got);
          saveText(nameOf(name), JSON.stringify(got));
        }
      }
    } catch {
      // There is no network, or no relay.
      times = 0;
    }
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
        times = 0;
      }
      // The clock may have been set back since.
      const waitMs = Math.min(MOST_ASK_AGAIN_MS, ASK_AGAIN_MS * 2 ** times) - Math.abs(now - askedAt);
      if (waitMs > 0) retry.set(waitMs);
      else void ask();
      return undefined;
    },
    maxAgeMs: (customer) => (wanted.get(customer) ? acceptForMs : Number.POSITIVE_INFINITY),
    refuse(customer) {
      known.delete(customer);
      saveText(nameOf(customer), '');
    },
  };
}
