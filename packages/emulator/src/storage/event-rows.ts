import type { TrackerEvent, TrackerRow } from '../admin/contract.ts';
import { memberText } from '../events/json-text.ts';
import type { EventFilter, StoredEvent } from '../events/tracked-events.ts';
import { type Database, escapeText, isoTime, unescapeText } from './database.ts';

/** SQL that is 1 for a row of `events` whose customer exists now, else 0. It is not stored, because customers come and go. */
export const ATTRIBUTED: string = `coalesce(
  events.correlation_key = (SELECT value FROM settings WHERE name = 'primary_key')
  AND EXISTS (SELECT 1 FROM customers WHERE primary_value = events.correlation_value), 0)`;

/** SQL that must hold for a row of `events`, and the values of its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The condition that an event matches all given fields. */
export function conditionOf({ name, correlationValue, source, uuid, attributed }: EventFilter): Condition {
  const wanted = [
    ['name', name && escapeText(name)],
    ['correlation_value', correlationValue && escapeText(correlationValue)],
    ['source', source && escapeText(source)],
    ['uuid', uuid?.toLowerCase()],
    [ATTRIBUTED, attributed === undefined ? undefined : Number(attributed)],
  ] as const;
  return allOf(
    wanted.flatMap(([sql, value]) => (value === undefined ? [] : { sql: `${sql} = ?`, values: [value] })),
  );
}

/** The condition that all of these hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: ['1', ...conditions.map(({ sql }) => sql)].join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** A stored event whose body is still the JSON text that was received. */
export interface EventRow extends Omit<StoredEvent, 'event'> {
  readonly text: string;
}

interface StoredRow extends Omit<EventRow, 'uuid' | 'receivedAt' | 'attributed'> {
  readonly uuid: string | null;
  readonly receivedAt: number;
  readonly attributed: number;
}

/** Reads events. `condition`: what follows FROM. */
export function readEvents(
  database: Database,
  condition: string,
  ...values: readonly (string | number)[]
): EventRow[] {
  const columns = `uuid, received_at AS receivedAt, deliveries, body AS text, ${ATTRIBUTED} AS attributed`;
  const rows = database.all<StoredRow>(`SELECT ${columns} FROM events ${condition}`, ...values);
  return rows.map(({ text, uuid, receivedAt, deliveries, attributed }) => ({
    ...{ text, deliveries, uuid: uuid ?? undefined },
    receivedAt: isoTime(receivedAt),
    attributed: attributed === 1,
  }));
}

const PREVIEW_CHARACTERS = 240;
// In nearly all bodies, the payload begins within this many characters. So a large body need not be read completely.
const HEAD_CHARACTERS = 4_096;
const LONGEST_VALUE = 100;
const MOST_REPEATS = 1_000;

/** Reads the list rows of the events with these ids, newest first. */
export function readRows(
  database: Database,
  ids: readonly number[],
  paths: readonly string[] = [],
): TrackerRow[] {
  const values = paths.map(
    (_, index) =>
      `, CASE WHEN json_valid(body) THEN substr(body -> ?, 1, ${LONGEST_VALUE}) END AS value${index}`,
  );
  const rows = database.all<ListedRow>(
    `SELECT id, name, correlation_value AS correlationValue, source, received_at, uuid, deliveries,
       ${ATTRIBUTED} AS attributed, substr(body, 1, ${HEAD_CHARACTERS}) AS head,
       octet_length(body) > ${HEAD_CHARACTERS} AS is_cut${values.join('')}
     FROM events WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    ...paths,
    JSON.stringify(ids),
  );
  return rows.map(({ id, uuid, deliveries, ...row }) => ({
    ...{ id, uuid, deliveries },
    name: unescapeText(row.name),
    correlationValue: unescapeText(row.correlationValue),
    source: unescapeText(row.source),
    receivedAt: isoTime(row.received_at),
    attributed: row.attributed === 1,
    preview:
      payloadText(row.head, PREVIEW_CHARACTERS) ||
      (row.is_cut === 0 ? '' : payloadText(bodyOf(database, id), PREVIEW_CHARACTERS)),
    values: paths.map((_, index) => row[`value${index}`] ?? null),
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

/** The JSON text of an event, as received. */
export function bodyOf(database: Database, id: number): string {
  return database.get<{ body: string }>('SELECT body FROM events WHERE id = ?', id)?.body ?? '{}';
}

interface ListedRow extends Readonly<Record<`value${number}`, string | null>> {
  readonly id: number;
  readonly name: string;
  readonly correlationValue: string;
  readonly source: string;
  readonly received_at: number;
  readonly uuid: string | null;
  readonly deliveries: number;
  readonly attributed: number;
  readonly head: string;
  readonly is_cut: number;
}
