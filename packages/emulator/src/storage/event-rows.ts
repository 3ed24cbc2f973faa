import type { TrackerEvent, TrackerRow } from '../admin/contract.ts';
import { memberText } from '../events/json-text.ts';
import type { StoredEvent } from '../events/tracked-events.ts';
import { type Database, isoTime, unescapeText } from './database.ts';
import { ATTRIBUTED } from './event-filter.ts';

/** A stored event whose body is still the JSON text that was received. */
export interface EventRow extends Omit<StoredEvent, 'event'> {
  readonly text: string;
}

/** Reads events. `condition`: what follows FROM. */
export function readEvents(
  database: Database,
  condition: string,
  ...values: readonly (string | number)[]
): EventRow[] {
  const columns = `body, uuid, received_at, deliveries, ${ATTRIBUTED}`;
  const rows = database.arrays<
    [text: string, uuid: string | null, receivedAt: number, deliveries: number, attributed: number]
  >(`SELECT ${columns} FROM events ${condition}`, ...values);
  return rows.map(([text, uuid, receivedAt, deliveries, attributed]) => ({
    ...{ text, deliveries, uuid: uuid ?? undefined },
    receivedAt: isoTime(receivedAt),
    attributed: attributed === 1,
  }));
}

const PREVIEW_CHARACTERS = 240;
// The preview of a payload is in this part of nearly all bodies. So a large body need not be read completely.
const HEAD_CHARACTERS = 8_192;
const LONGEST_VALUE = 100;
const MOST_REPEATS = 1_000;

interface StoredRow
  extends Pick<TrackerRow, 'id' | 'uuid' | 'deliveries' | 'name' | 'correlationValue' | 'source'> {
  readonly receivedAt: number;
  readonly attributed: number;
  readonly head: string;
  readonly shown: string;
}

/** Reads the list rows of the events with these ids, newest first. */
export function readRows(
  database: Database,
  ids: readonly number[],
  paths: readonly string[] = [],
): TrackerRow[] {
  const value = `CASE WHEN json_valid(body) THEN substr(body -> ?, 1, ${LONGEST_VALUE}) END`;
  const rows = database.all<StoredRow>(
    `SELECT id, uuid, deliveries, received_at AS receivedAt, ${ATTRIBUTED} AS attributed, name,
       correlation_value AS correlationValue, source, substr(body, 1, ${HEAD_CHARACTERS}) AS head,
       json_array(${paths.map(() => value)}) AS shown
     FROM events WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    ...paths,
    JSON.stringify(ids),
  );
  return rows.map(({ head, shown, ...row }) => ({
    ...row,
    ...{ receivedAt: isoTime(row.receivedAt), attributed: row.attributed === 1 },
    name: unescapeText(row.name),
    correlationValue: unescapeText(row.correlationValue),
    source: unescapeText(row.source),
    preview: payloadText(head, PREVIEW_CHARACTERS),
    values: JSON.parse(shown),
  }));
}

/** Reads all details of one event, with its latest 1,000 repeats; undefined if there is no such event. */
export function readEvent(
  database: Database,
  id: number,
): (Omit<TrackerEvent, 'request' | 'customer'> & { readonly requestId: number }) | undefined {
  const [row] = readRows(database, [id]);
  if (row === undefined) return undefined;
  const whole = database.get<{ requestId: number; text: string }>(
    'SELECT request_id AS requestId, body AS text FROM events WHERE id = ?',
    id,
  );
  const repeats = database.all<{ receivedAt: number; requestId: number }>(
    `SELECT received_at AS receivedAt, request_id AS requestId FROM repeats
     WHERE event_id = ? ORDER BY id DESC LIMIT ${MOST_REPEATS}`,
    id,
  );
  return {
    ...row,
    ...(whole ?? { requestId: 0, text: '' }),
    repeats: repeats.map((each) => ({ ...each, receivedAt: isoTime(each.receivedAt) })).reverse(),
  };
}

/** The payload's JSON text, cut after `most` characters; empty if the event has no payload. */
export function payloadText(body: string, most: number): string {
  return (memberText(body, 'payload') ?? '').slice(0, most);
}
