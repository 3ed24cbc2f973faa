import { Refusal } from '../refusal.ts';
import type { RequestOutcome, RequestStore } from '../storage/request-store.ts';
import type { AdminRoutes } from './admin-routes.ts';
import { readId, readPaging } from './paging.ts';

const MAX_LIMIT = 1_000;

/** Adds the routes that read the requests to the interface. */
export function addRequestRoutes(routes: AdminRoutes, requests: RequestStore): void {
  routes.add('/requests', {
    GET: ({ req }) => {
      const outcome = req.query('outcome') || undefined;
      // The store refuses an unknown outcome.
      return requests.list({ ...readPaging(req, MAX_LIMIT), outcome: outcome as RequestOutcome | undefined });
    },
  });
  routes.add('/requests/:id', {
    GET: ({ req }) => {
      const row = requests.get(readId(req));
      if (row !== undefined) return row;
      throw new Refusal('unknown_id', 'There is no request with this id, or it is no longer kept.');
    },
  });
}
