import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { Refusal } from '../events/refusal.ts';
import type { Account } from '../running/account.ts';
import type { RequestContext } from '../running/application.ts';
import { readPayloadPaths } from '../search/payload-query.ts';
import type { AdminRoutes } from './admin-routes.ts';
import type { TrackerEvent, TrackerRows, TrackerValues } from './contract.ts';
import { EXPORT_FORMATS } from './event-export.ts';
import { readId, readPaging, readSearchFilter, readValueField } from './request-query.ts';

const EXPORTED_AT_ONCE = 500;

/** Adds the routes of the event tracker, to search, count, open and export events. */
export function addTrackerRoutes(add: AdminRoutes, account: Account): void {
  const { search } = account;
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
      return { values: await search.values(readValueField(req), req.query('start') ?? '') };
    },
  });
  add('/tracker/catalogue', { GET: () => search.catalogue() });
  add('/tracker/export', { GET: (context) => exportEvents(context, account) });
  add('/tracker/:id', {
    GET: ({ req }): TrackerEvent => {
      const event = account.trackedEvent(readId(req));
      if (event !== undefined) return event;
      throw new Refusal('unknown_id', 'There is no event with this id: it was removed, or never came.');
    },
  });
}

function exportEvents({ req }: RequestContext, { search }: Account): Response {
  const name = req.query('format') ?? 'ndjson';
  const form = Object.hasOwn(EXPORT_FORMATS, name) ? EXPORT_FORMATS[name] : undefined;
  if (form === undefined) {
    throw new ConfigError('format', `format must be ndjson or csv, got ${describe(name)}`);
  }
  const filter = readSearchFilter(req);
  async function* texts(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    if (form === undefined) return;
    yield encoder.encode(form.head);
    for (let before: number | null | undefined; before !== null; ) {
      const page = await search.whole(filter, { before, limit: EXPORTED_AT_ONCE });
      if (page.rows.length > 0) yield encoder.encode(form.format(page.rows));
      before = page.next;
    }
  }
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  // The next part is read only when the previous one has been sent. So a slow reader delays only itself.
  return new Response(streamOf(texts()), {
    headers: {
      'content-type': form.contentType,
      'content-disposition': `attachment; filename="events-${at}.${name}"`,
      'cache-control': 'no-store',
    },
  });
}

function streamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}
