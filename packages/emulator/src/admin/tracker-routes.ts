import { Refusal } from '../events/refusal.ts';
import type { Account } from '../running/account.ts';
import { readPayloadPaths } from '../search/payload-query.ts';
import { listValues } from '../search/value-list.ts';
import type { AdminRoutes } from './admin-routes.ts';
import type { TrackerEvent, TrackerRows, TrackerValues } from './contract.ts';
import { exportEvents } from './event-export.ts';
import { readId, readPaging, readSearchFilter, readValueField } from './request-query.ts';

/** Adds the routes of the event tracker, to search, count, open and export events. */
export function addTrackerRoutes(add: AdminRoutes, account: Account): void {
  const { database, search, events } = account;
  add('/tracker', {
    GET: async ({ req }): Promise<TrackerRows> => {
      const filter = readSearchFilter(req);
      const paths = readPayloadPaths(req.query('keys') ?? '');
      const { rows, next } = await search.rows(filter, { ...readPaging(req), paths });
      return { rows, hasMore: next !== null, next };
    },
  });
  add('/tracker/count', { GET: ({ req }) => search.count(readSearchFilter(req)) });
  add('/tracker/values', {
    GET: async ({ req }): Promise<TrackerValues> => {
      return {
        values: await listValues(
          database,
          search,
          events.totals,
          readValueField(req),
          req.query('start') ?? '',
        ),
      };
    },
  });
  add('/tracker/catalogue', { GET: () => search.catalogue() });
  add('/tracker/export', { GET: (context) => exportEvents(context.req, search) });
  add('/tracker/:id', {
    GET: ({ req }): TrackerEvent => {
      const event = account.trackedEvent(readId(req));
      if (event !== undefined) return event;
      throw new Refusal('unknown_id', 'There is no event with this id: it was removed, or never came.');
    },
  });
}
