import { refusal } from '@sluice/protocol/toolbox';
import { stringify } from 'csv-stringify/sync';
import type { Account } from '../running/account.ts';
import type { RequestContext } from '../running/application.ts';
import { readPayloadPaths } from '../search/payload-query.ts';
import type { Search } from '../search/search.ts';
import { unescapeText } from '../storage/database.ts';
import { type EventRow, payloadText, readEvent } from '../storage/event-rows.ts';
import type { TrackerEvent, TrackerRows, TrackerValues } from './contract.ts';
import type { AdminRoutes } from './operator-access.ts';
import { found, readId, readPaging, readSearchFilter } from './request-query.ts';

/** A format in which the tracker exports events. */
interface ExportFormat {
  readonly contentType: string;
  /** Text before the first event. */
  readonly head: string;
  readonly format: (events: readonly EventRow[]) => string;
}

const AT_ONCE = 500;
const COLUMNS = [
  ...['event', 'correlationKey', 'correlationValue', 'source', 'timestamp', 'uuid', 'payload'],
  ...['receivedAt', 'deliveries', 'attributed'],
] as const;

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  // Each line is an event as received, so that the file can be sent or loaded again.
  ndjson: {
    contentType: 'application/x-ndjson',
    head: '',
    format: (events) => events.map(({ text }) => `${onOneLine(text)}\n`).join(''),
  },
  // Spreadsheet programs run cells that begin like a formula. `escape_formulas` puts an apostrophe before them.
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: stringify([COLUMNS]),
    format: (events) => stringify(events.map(toRecord), { escape_formulas: true }),
  },
};

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
  add('/tracker/export', { GET: (context) => exportEvents(context.req, search) });
  add('/tracker/:id', {
    GET: ({ req }): TrackerEvent => {
      const { requestId, ...event } = found(readEvent(database, readId(req)), 'event');
      const request = account.requests.get(requestId);
      const customer = event.attributed ? account.audience.customer(event.correlationValue) : undefined;
      return { ...event, request: request ?? null, customer: customer ?? null };
    },
  });
}

/** Answers with the matching events as a file. Throws a ConfigError for an unknown format. */
function exportEvents(request: RequestContext['req'], search: Search): Response {
  const name = request.query('format') ?? 'ndjson';
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined) throw refusal('format', 'ndjson or csv', name);
  const filter = readSearchFilter(request);
  const encoder = new TextEncoder();
  let before: number | null | undefined;
  let { head } = format;
  const body = new ReadableStream<Uint8Array>({
    // The next part is read only when the previous one has been sent. So a slow reader delays only itself.
    async pull(controller) {
      if (before === null) return controller.close();
      const page = await search.whole(filter, { before, limit: AT_ONCE });
      controller.enqueue(encoder.encode(head + format.format(page.rows)));
      head = '';
      before = page.next;
    },
  });
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  return new Response(body, {
    headers: {
      'content-type': format.contentType,
      'content-disposition': `attachment; filename="events-${at}.${name}"`,
      'cache-control': 'no-store',
    },
  });
}

// In JSON text, a line break is never inside a string.
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}

function toRecord({ text, receivedAt, deliveries, attributed }: EventRow): string[] {
  const event: Record<string, unknown> = JSON.parse(text);
  const fields = COLUMNS.slice(0, 6).map((name) => String(event[name] ?? ''));
  const payload = payloadText(text, Number.POSITIVE_INFINITY);
  return [...fields, payload, receivedAt, String(deliveries), String(attributed)];
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
