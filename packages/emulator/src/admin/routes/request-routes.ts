import { ConfigError } from '@sluice/protocol';
import { Refusal } from '../../events/refusal.ts';
import { sendRequest, testEvent } from '../../events/sent-request.ts';
import type { Account } from '../../running/account.ts';
import type { RequestContext } from '../../running/application.ts';
import type { RequestOutcome } from '../../storage/request-store.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import type { RequestDetails, SentRequest } from '../contract.ts';
import { readId, readPaging } from '../paging.ts';

const MAX_LIMIT = 1_000;

/** Adds the routes that read the requests to the interface, and that send some. */
export function addRequestRoutes(routes: AdminRoutes, account: Account, baseUrl: () => string): void {
  const { requests, contents } = account;
  const find = (req: RequestContext['req']): RequestDetails => {
    const row = requests.get(readId(req));
    if (row === undefined) {
      throw new Refusal('unknown_id', 'There is no request with this id, or it is no longer kept.');
    }
    const content = contents.get(row.id);
    return { ...row, content: content?.shown() ?? null, isRepeatable: content?.repeatable !== undefined };
  };
  routes.add('/requests', {
    GET: ({ req }) => {
      const outcome = req.query('outcome') || undefined;
      // The store refuses an unknown outcome.
      return requests.list({
        ...readPaging(req, MAX_LIMIT),
        outcome: outcome as RequestOutcome | undefined,
        search: req.query('search'),
      });
    },
  });
  routes.add('/requests/test-event', {
    POST: async (): Promise<SentRequest> => {
      const apiKey = account.apiKeys.oldest() ?? 'none';
      return { status: await sendRequest(testEvent(baseUrl(), apiKey, account.primaryKey ?? 'email')) };
    },
  });
  routes.add('/requests/:id', { GET: ({ req }) => find(req) });
  routes.add('/requests/:id/again', {
    POST: async ({ req }): Promise<SentRequest> => {
      const repeatable = contents.get(find(req).id)?.repeatable;
      if (repeatable !== undefined) return { status: await sendRequest(repeatable) };
      throw new ConfigError(
        'id',
        'id must be of a request whose whole body is kept: this one cannot be sent again',
      );
    },
  });
}
