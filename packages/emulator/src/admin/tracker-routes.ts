import { refusal } from '@sluice/protocol/toolbox';
import { streamOf } from '../http/answers.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes } from '../running/application.ts';
import type { SearchFilter } from '../search/event-filter.ts';
import { readPayloadPaths } from '../search/payload-query.ts';
import { beginning, escapeText, unescapeText } from '../storage/database.ts';
import { readEvent } from '../storage/event-rows.ts';
import type { Page, TrackerEvent, TrackerValues } from './contract.ts';
import { found, readFields, readId, readSearchFilter } from './request-query.ts';

// An export reads so many events at once, and sends so many characters.
const AT_ONCE = 500;
const CHUNK_CHARACTERS = 64 * 1024;
const VALUE_COLUMNS: Readonly<Record<string, string>> = {
  name: 'name',
  source: 'source',
  correlationValue: 'correlation_value',
};
const MOST_VALUES = 20;
const NEWEST = 20_000;

/** Adds the routes of the event tracker, to search, count, open and export events. */
export function addTrackerRoutes(admin: Application, account: Account): void {
  const { database, search } = account;
  addRoutes(admin, '/tracker', {
    GET: ({ req }) => {
      const { before, limit, keys = '' } = readFields(req);
      const paths = readPayloadPaths(keys);
      return search.rows(readSearchFilter(req), { before, limit, paths });
    },
  });
  addRoutes(admin, '/tracker/count', { GET: ({ req }) => search.count(readSearchFilter(req)) });
  addRoutes(admin, '/tracker/values', {
    GET: ({ req }) => {
      const { field = '', start = '' } = readFields(req);
      return listValues(account, field, start);
    },
  });
  addRoutes(admin, '/tracker/catalogue', { GET: () => search.catalogue() });
  addRoutes(admin, '/tracker/export', { GET: ({ req }) => exportEvents(readSearchFilter(req), account) });
  addRoutes(admin, '/tracker/:id', {
    GET: ({ req }): TrackerEvent => {
      const { requestId, ...event } = found(readEvent(database, readId(req)), 'event');
      const request = account.requests.get(requestId);
      const customer = event.attributed ? account.audience.customer(event.correlationValue) : undefined;
      return { ...event, request: request ?? null, customer: customer ?? null };
    },
  });
}

/** Answers with the matching events as a file, newest first: each as received, so that the file can be sent again. */
function exportEvents(filter: SearchFilter, account: Account): Response {
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  return new Response(streamOf(exportedTexts(filter, account)), {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="events-${at}.ndjson"`,
      'cache-control': 'no-store',
    },
  });
}

async function* exportedTexts(filter: SearchFilter, { search, database }: Account): AsyncGenerator<string> {
  for (let before: number | null | undefined; before !== null; ) {
    const page: Page<number> = await search.ids(filter, { before, limit: AT_ONCE });
    let text = '';
    for (const id of page.rows) {
      const event = database.get<{ body: string }>('SELECT body FROM events WHERE id = ?', id);
      if (event !== undefined) text += `${onOneLine(event.body)}\n`; // it may be removed meanwhile
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
    yield text;
    before = page.next;
  }
}

// In JSON text, a line break is never inside a string.
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}

/** The most frequent values of a field that begin with `start`, among the newest 20,000 events. Throws {@link ConfigError} for an unknown field. */
function listValues({ database, events }: Account, field: string, start: string): TrackerValues {
  const column = Object.hasOwn(VALUE_COLUMNS, field) ? VALUE_COLUMNS[field] : undefined;
  if (column === undefined) throw refusal('field', `one of ${Object.keys(VALUE_COLUMNS).join(', ')}`, field);
  const values = database.all<TrackerValues['values'][number]>(
    `SELECT ${column} AS value, count(*) AS count FROM events WHERE id > ? AND ${column} LIKE ? ESCAPE '!'
     GROUP BY 1 ORDER BY count DESC LIMIT ${MOST_VALUES}`,
    ...[events.totals.newest - NEWEST, beginning(escapeText(start))],
  );
  return { values: values.map(({ value, count }) => ({ value: unescapeText(value), count })) };
}
