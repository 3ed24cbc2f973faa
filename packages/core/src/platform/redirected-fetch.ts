import { FetchTransport } from '../send/http/fetch-transport.ts';
import { SlashRedirect } from '../send/http/slash-redirect.ts';
import type { Outcome, TransportRequest } from '../send/http/transport.ts';

/** The transport where `fetch` tells where a redirect leads: everywhere but in pages. */
export class RedirectedFetch extends FetchTransport {
  readonly #redirect = new SlashRedirect((request) => super.post(request));

  override post(request: TransportRequest): Promise<Outcome> {
    return this.#redirect.post(request);
  }
}
