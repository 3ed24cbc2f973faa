import { streamOf } from '../http/answers.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes } from '../running/application.ts';
import { beginning, escapeText } from '../storage/database.ts';
import { COLUMN_OF, conditionOf, type SearchFilter } from '../storage/event-filter.ts';
import { readEvent, readEvents } from '../storage/event-rows.ts';
import type { Page, TrackerEvent, TrackerValues } from './contract.ts';
import { found, readFields, readId } from './request-query.ts';

// An export reads so many events at once, and sends so many characters.
const AT_ONCE = 500;
const CHUNK_CHARACTERS = 64 * 1024;
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
    GET: ({ req }): TrackerValues => {
      const { field, start = '' } = readFields(req, 'field', 'start');
      const begins = {
        sql: `id > ? AND ${COLUMN_OF[field]} LIKE ? ESCAPE '!'`,
        values: [events.totals.newest - NEWEST, beginning(escapeText(start))],
      };
      return { values: events.countBy(field, MOST_VALUES, begins) };
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
    GET: ({ req }) => {
      const { limit = 10, ...filter } = readFields(req, ...FILTER, 'limit');
      const condition = conditionOf(filter);
      const byEvent = events.countBy('name', limit, condition);
      const byCorrelationValue = events.countBy('correlationValue', limit, condition);
      return { ...events.count(filter), byEvent, byCorrelationValue };
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
      for (const { text: json, ...rest } of readEvents(database, 'WHERE id = ?', id)) {
        const event = json.replace(/[\r\n]+/g, ' '); // in JSON text, a line break is never inside a string
        text += wanted.details ? `{"event":${event},${JSON.stringify(rest).slice(1)}\n` : `${event}\n`;
      }
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
    yield text;
    before = page.next;
  }
}
