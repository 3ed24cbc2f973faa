import { createFetch } from '../../../src/page/send/fetch.ts';
import type { Credentials, Transport } from '../../../src/send/http/transport.ts';

/** What makes the requests of a page, as a transport. */
export function pageTransport(credentials: Credentials = 'omit'): Transport & { room(): number } {
  const transport = createFetch(credentials);
  return {
    ...{ ...transport, close: async () => {} },
    async post(request) {
      const outcome = await transport.post(request);
      if (outcome.kind !== 'failed' || outcome.isBlocked) return outcome;
      const { isBlocked: _, ...failed } = outcome;
      return failed;
    },
  };
}
