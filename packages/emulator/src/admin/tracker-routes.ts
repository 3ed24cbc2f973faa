import { refusal } from '@sluice/protocol/toolbox';
import { streamOf } from '../http/answers.ts';
import type { Account } from '../running/account.ts';
import type { SearchFilter } from '../search/event-filter.ts';
import { readPayloadPaths } from '../search/payload-query.ts';
import type { Page } from '../search/search.ts';
import { unescapeText } from '../storage/database.ts';
import { bodyOf, readEvent } from '../storage/event-rows.ts';
import type { AdminRoutes } from './admin-routes.ts';
import type { TrackerEvent, TrackerRows, TrackerValues } from './contract.ts';
import { found, readId, readPaging, readSearchFilter } from './request-query.ts';

// An export reads so many events at once, and sends so many characters.
const AT_ONCE = 500;
const CHUNK_CHARACTERS = 64 * 1024;
const VALUE_COLUMNS = { name: 'name', source: 'source', correlationValue: 'correlation_value' } as const;
const MOST_VALUES = 20;
const NEWEST = 20_000;
const MOST_FOUND = 1_000;

/** Adds the routes of the event tracker, to search, count, open and export events. */
export function addTrackerRoutes(add: AdminRoutes, account: Account): void {
  const { database, search } = account;
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
      const { field = '', start = '' } = req.query();
      return { values: await listValues(account, field, start) };
    },
  });
  add('/tracker/catalogue', { GET: () => search.catalogue() });
  add('/tracker/export', { GET: ({ req }) => exportEvents(readSearchFilter(req), account) });
  add('/tracker/:id', {
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
      text += `${onOneLine(bodyOf(database, id))}\n`;
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

/**
 * Lists values of a field that begin with `start`, ignoring case, most frequent first. They come from the newest 20,000 events.
 * If these give too few values, it adds rarer ones that the index finds, unless `start` is empty. Throws {@link ConfigError} for an unknown field.
 */
async function listValues(
  { database, search, events }: Account,
  field: string,
  start: string,
): Promise<TrackerValues['values']> {
  if (!isField(field)) throw refusal('field', `one of ${Object.keys(VALUE_COLUMNS).join(', ')}`, field);
  const column = VALUE_COLUMNS[field];
  const { oldest, newest } = events.totals;
  const counts = new Map<string, number>();
  const rows = database.arrays<[value: string, count: number]>(
    `SELECT ${column}, count(*) FROM events WHERE id > ? AND id <= ? GROUP BY ${column}`,
    ...[Math.max(oldest - 1, newest - NEWEST), newest],
  );
  const wanted = start.toLowerCase();
  const isWanted = (value: string) => value.toLowerCase().startsWith(wanted);
  for (const [escaped, count] of rows) {
    const value = unescapeText(escaped);
    if (isWanted(value)) counts.set(value, count);
  }
  if (start !== '' && counts.size < MOST_VALUES) {
    const { rows: found } = await search.rows({ text: start }, { limit: MOST_FOUND });
    for (const { [field]: value } of found) {
      if (!isWanted(value) || counts.has(value)) continue;
      const { count } = await search.count({ [field]: value });
      counts.set(value, count);
    }
  }
  const values = Array.from(counts, ([value, count]) => ({ value, count }));
  return values.sort((one, other) => other.count - one.count).slice(0, MOST_VALUES);
}

function isField(field: string): field is keyof typeof VALUE_COLUMNS {
  return Object.hasOwn(VALUE_COLUMNS, field);
}
