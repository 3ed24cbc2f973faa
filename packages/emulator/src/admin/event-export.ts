import { stringify } from 'csv-stringify/sync';
import { payloadText, type WholeEvent } from '../storage/event-rows.ts';

/** A format in which the tracker exports events. */
export interface ExportFormat {
  readonly contentType: string;
  /** Text before the first event. */
  readonly head: string;
  readonly format: (events: readonly WholeEvent[]) => string;
}

const COLUMNS = [
  ...['event', 'correlationKey', 'correlationValue', 'source', 'timestamp', 'uuid', 'payload'],
  ...['receivedAt', 'deliveries', 'attributed'],
] as const;

/** The available formats. */
export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
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
