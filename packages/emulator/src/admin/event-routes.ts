import { refusal } from '@sluice/protocol/toolbox';
import { streamOf } from '../http/answers.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes } from '../running/application.ts';
import type { SearchFilter } from '../search/plan.ts';
import { beginning, escapeText, unescapeText } from '../storage/database.ts';
import { readEvent, readEvents } from '../storage/event-rows.ts';
import type { Counts, Page, TrackerEvent, TrackerValues } from './contract.ts';
import { found, readFields, readId } from './request-query.ts';

// An export reads so many events at once, and sends so many characters.
const AT_ONCE = 500;
const CHUNK_CHARACTERS = 64 * 1024;
const VALUE_COLUMNS: Readonly<Record<string, string>> = {
  name: 'name',
  source: 'source',
  correlationValue: 'correlation_value',
};
const FILTER = [
  ...(['name', 'correlationValue', 'source', 'uuid'] as const),
  ...(['attributed', 'from', 'to', 'payload'] as const),
] as const;
// Pages send the keys of their columns also where these mean nothing.
const SEARCH = [...FILTER, 'text', 'keys'] as const;
const MOST_VALUES = 20;
const NEWEST = 20_000;

/** Adds the routes that list, count, open and export events. */
export function addEventRoutes(routes: Application, account: Account): void {
  const { database, search, events } = account;
  addRoutes(routes, '/events', {
    GET: ({ req }) => search.rows(readFields(req, ...SEARCH, 'before', 'limit')),
  });
  addRoutes(routes, '/events/count', { GET: ({ req }) => search.count(readFields(req, ...SEARCH)) });
  addRoutes(routes, '/events/values', {
    GET: ({ req }) => {
      const { field = '', start = '' } = readFields(req, 'field', 'start');
      return listValues(account, field, start);
    },
  });
  addRoutes(routes, '/events/export', {
    GET: ({ req }) => exportEvents(readFields(req, ...SEARCH, 'details'), account),
  });
  addRoutes(routes, '/events/:id', {
    GET: ({ req }): TrackerEvent => {
      const { requestId, ...event } = found(readEvent(database, readId(req)), 'event');
      const request = account.requests.get(requestId);
      const customer = event.attributed ? account.audience.customer(event.correlationValue) : undefined;
      return { ...event, request: request ?? null, customer: customer ?? null };
    },
  });
  addRoutes(routes, '/catalogue', { GET: () => search.catalogue() });
  addRoutes(routes, '/counts', {
    GET: ({ req }): Counts => {
      const { limit = 10, ...filter } = readFields(req, ...FILTER, 'limit');
      const byEvent = events.countBy('event', limit, filter);
      return {
        ...{ ...events.count(filter), byEvent },
        byCorrelationValue: events.countBy('correlationValue', limit, filter),
      };
    },
  });
}

interface Export extends SearchFilter {
  /** Whether each event has beside it what the emulator knows of it. */
  readonly details: boolean;
}

/** Answers with the matching events as a file, newest first: each as received, so that the file can be sent again. */
function exportEvents(wanted: Export, account: Account): Response {
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  return new Response(streamOf(exportedTexts(wanted, account)), {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="events-${at}.ndjson"`,
      'cache-control': 'no-store',
    },
  });
}

async function* exportedTexts(wanted: Export, { search, database }: Account): AsyncGenerator<string> {
  for (let before: number | null | undefined; before !== null; ) {
    const page: Page<number> = await search.ids({ ...wanted, before, limit: AT_ONCE });
    let text = '';
    for (const id of page.rows) {
      // It may be removed meanwhile.
      for (const { text: event, ...rest } of readEvents(database, 'WHERE id = ?', id)) {
        text += wanted.details
          ? `{"event":${onOneLine(event)},${JSON.stringify(rest).slice(1)}\n`
          : `${onOneLine(event)}\n`;
      }
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
