import { refusal } from '@sluice/protocol/toolbox';
import { stringify } from 'csv-stringify/sync';
import type { RequestContext } from '../running/application.ts';
import type { Search } from '../search/search.ts';
import { payloadText, type WholeEvent } from '../storage/event-rows.ts';
import { readSearchFilter } from './request-query.ts';

/** A format in which the tracker exports events. */
interface ExportFormat {
  readonly contentType: string;
  /** Text before the first event. */
  readonly head: string;
  readonly format: (events: readonly WholeEvent[]) => string;
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

/** Answers with the matching events as a file. Throws a ConfigError for an unknown format. */
export function exportEvents(request: RequestContext['req'], search: Search): Response {
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

function toRecord({ text, receivedAt, deliveries, attributed }: WholeEvent): string[] {
  const event: Record<string, unknown> = JSON.parse(text);
  const fields = COLUMNS.slice(0, 6).map((name) => String(event[name] ?? ''));
  const payload = payloadText(text, Number.POSITIVE_INFINITY);
  return [...fields, payload, receivedAt, String(deliveries), String(attributed)];
}
