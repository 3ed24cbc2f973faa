import { ConfigError } from '@sluice/protocol';
import { thoroughly } from '../options/thorough.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import { followSlash } from '../send/http/slash-redirect.ts';
import type { Outcome, TransportRequest } from '../send/http/transport.ts';
import type { Platform } from './platform.ts';
import { web } from './web.ts';

const checked = thoroughly(({ delivery }) => {
  if (delivery?.credentials === undefined || 'credentials' in Request.prototype) return;
  const rule = 'must be absent in a runtime without cookies: give delivery.headers a cookie';
  throw new ConfigError('delivery.credentials', `delivery.credentials ${rule}`);
});

/** Edge runtimes, and the `worker` target of bundlers. Nothing tells them that they end. */
export const platform: Platform = {
  ...web,
  lifecycle: { listen: () => () => {} },
  batchBytes: 512 * 1024,
  holdsUnidentified: false,
  parts: { ...web.parts, checked },
  createTransport: ({ delivery }) => new EdgeTransport(delivery),
  mostRequests: Number.POSITIVE_INFINITY,
};

class EdgeTransport extends FetchTransport {
  readonly #post = followSlash((request) => super.post(request));

  override post(request: TransportRequest): Promise<Outcome> {
    return this.#post(request);
  }
}
