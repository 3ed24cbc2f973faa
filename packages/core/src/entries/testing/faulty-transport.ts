import type { Event } from '@sluice/protocol';
import type { Outcome, Transport, TransportRequest } from '../../send/http/transport.ts';

/** What the service does with a request: a status, or an Error if the connection fails before the request is sent. */
type Answer = number | Error;

/** A transport for tests, and the events of each request that it was given. */
export interface FaultyTransport extends Transport {
  readonly requests: readonly (readonly Event[])[];
}

/**
 * Makes a transport that answers as a test says. Events arrive nowhere.
 *
 * @param respond Called with the events of a request, and how many requests there were before. Returns a status, or an Error if the
 *   connection fails before the request is sent.
 * @example
 * const transport = faultyTransport((events, count) => (count < 2 ? new Error('no network') : 200));
 * const tracker = createTracker({ baseUrl, correlationKey: 'email', journal: 'memory', transport });
 */
export function faultyTransport(
  respond: (events: readonly Event[], count: number) => Answer | Promise<Answer>,
): FaultyTransport {
  const requests: (readonly Event[])[] = [];
  return {
    requests,
    async post({ body }: TransportRequest): Promise<Outcome> {
      const events: readonly Event[] = JSON.parse(new TextDecoder().decode(body)).batch;
      const answer = await respond(events, requests.push(events) - 1);
      if (typeof answer !== 'number') return { kind: 'failed', cause: answer, maybeSent: false };
      return { kind: 'answered', status: answer, retryAfter: undefined, body: '' };
    },
    close: async () => {},
  };
}
