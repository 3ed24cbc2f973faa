import { requestHeaders } from '@sluice/protocol';
import { readBaseUrl, tried } from '@sluice/protocol/toolbox';
import type { RelayWithJwt } from '../options/options.ts';
import type { Batch } from '../wait/parcel.ts';
import { UNAUTHORIZED } from './send/relay.ts';

/** Where a service worker sends what pages left. */
export interface DrainTarget {
  readonly baseUrl: string;
  /** For a relay: what tells its journal apart. */
  readonly destination?: { readonly path: string };
  /** What follows the base URL. */
  readonly path: string;
  readonly headers: (apiKey: string | undefined) => Readonly<Record<string, string>>;
  /** The body of the request. Undefined if only a page can send these events. */
  readonly body: (batch: Batch) => Uint8Array | Promise<Uint8Array | undefined>;
  /** Whether an accepting answer is for all events. Absent: yes. */
  readonly takesAll?: (answer: string) => boolean;
}

/** Makes the target for a relay. */
export type RelayDrainPart = (relay: string | RelayWithJwt) => DrainTarget;

/** The answer of a relay that was asked for a ticket. */
interface Told {
  readonly ticket?: string;
  readonly customer?: string;
  readonly observe?: boolean;
}

/**
 * For service workers: sends to a relay what pages left, with a ticket for whoever is signed in. Events of others wait for a page.
 * @example drainOnSync({ relay: '/s', correlationKey: 'email', parts: { relayDrain } });
 */
export const relayDrain: RelayDrainPart = (relay) => {
  const { url, jwt } = typeof relay === 'string' ? { url: relay } : relay;
  const { href, origin } = new URL(url, location.href);
  const headers = requestHeaders(undefined);
  let told: Promise<Told> | undefined;
  const ask = async (): Promise<Told> => {
    const body = JSON.stringify({ jwt: await jwt?.() });
    const answer = await fetch(href, { method: 'POST', headers, credentials: 'same-origin', body });
    // Nobody may be signed in. Whatever else it says, it may give a ticket later.
    if (!answer.ok && answer.status !== UNAUTHORIZED) throw new Error(`the relay answered ${answer.status}`);
    return answer.json();
  };
  const path = href.slice(origin.length);
  return {
    // As the trackers have it: the journal is named by it.
    baseUrl: readBaseUrl('relay', origin),
    destination: { path },
    path,
    headers: () => headers,
    async body({ body }) {
      const batch = new TextDecoder().decode(body);
      told ??= ask();
      const { customer, observe, ticket } = await told;
      const all: readonly { readonly correlationValue?: unknown }[] = tried(
        () => JSON.parse(batch).batch,
      ) ?? [{}];
      const isTheirs = all.every(({ correlationValue }) => customer && correlationValue === customer);
      const given = isTheirs ? ticket : observe && '';
      return typeof given === 'string'
        ? new TextEncoder().encode(`${batch.slice(0, -1)},"ticket":${JSON.stringify(given)}}`)
        : undefined;
    },
    takesAll: (answer) => tried(() => JSON.parse(answer).refused.length) === 0,
  };
};
