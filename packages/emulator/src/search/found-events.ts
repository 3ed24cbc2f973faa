import type { TrackerRow } from '../admin/contract.ts';
import type { Database } from '../storage/database.ts';
import { unescapeText } from '../storage/events/escaped-text.ts';
import { ATTRIBUTED } from '../storage/events/event-conditions.ts';
import { payloadText } from './text/payload-text.ts';

/** An event with its complete text. */
export interface WholeEvent {
  readonly id: number;
  readonly receivedAt: string;
  readonly deliveries: number;
  readonly attributed: boolean;
  /** As received. */
  readonly text: string;
}

const PREVIEW_CHARACTERS = 240;
// In nearly all bodies, the payload begins within this many characters. So a large body need not be read completely.
const HEAD_CHARACTERS = 4_096;

const LONGEST_VALUE = 100;

const rowsSql = (
  values: string,
) => `SELECT id, name, correlation_value, source, received_at, uuid, deliveries, ${ATTRIBUTED} AS attributed,
  substr(body, 1, ${HEAD_CHARACTERS}) AS head, octet_length(body) > ${HEAD_CHARACTERS} AS is_cut${values}
  FROM events WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`;
const SIZES = `SELECT id, octet_length(body) FROM events
  WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`;
const WHOLE = `SELECT id, received_at, deliveries, ${ATTRIBUTED} AS attributed, body
  FROM events WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`;

/** Reads the list rows of the events with these ids, newest first. */
export function readRows(
  database: Database,
  ids: readonly number[],
  paths: readonly string[] = [],
): TrackerRow[] {
  const value = (_: string, index: number) =>
    `, CASE WHEN json_valid(body) THEN substr(body -> ?, 1, ${LONGEST_VALUE}) END AS value${index}`;
  const statement = database.prepare(rowsSql(paths.map(value).join('')));
  const rows = statement.all(...paths, JSON.stringify(ids)) as ListedRow[];
  return rows.map((row) => ({
    id: row.id,
    name: unescapeText(row.name),
    correlationValue: unescapeText(row.correlation_value),
    source: unescapeText(row.source),
    receivedAt: new Date(row.received_at).toISOString(),
    uuid: row.uuid,
    deliveries: row.deliveries,
    attributed: row.attributed === 1,
    preview: preview(database, row),
    values: paths.map((_, index) => row[`value${index}`] ?? null),
  }));
}

/** Reads the complete events with these ids, newest first: as many as fit into `mostBytes` together, but at least one. */
export function readWhole(database: Database, ids: readonly number[], mostBytes: number): WholeEvent[] {
  const sizes = database.prepare(SIZES).raw(true).all(JSON.stringify(ids)) as [id: number, bytes: number][];
  let bytes = 0;
  const taken = sizes.filter(([, size], at) => {
    bytes += size;
    return at === 0 || bytes <= mostBytes;
  });
  const rows = database.prepare(WHOLE).all(JSON.stringify(taken.map(([id]) => id))) as WholeRow[];
  return rows.map(({ id, received_at, deliveries, attributed, body }) => ({
    id,
    receivedAt: new Date(received_at).toISOString(),
    deliveries,
    attributed: attributed === 1,
    text: body,
  }));
}

function preview(database: Database, { id, head, is_cut }: ListedRow): string {
  const text = payloadText(head, PREVIEW_CHARACTERS);
  if (text !== '' || is_cut === 0) return text;
  const row = database.prepare('SELECT body FROM events WHERE id = ?').get(id) as
    | { body: string }
    | undefined;
  return payloadText(row?.body ?? '{}', PREVIEW_CHARACTERS);
}

interface ListedRow extends Readonly<Record<`value${number}`, string | null>> {
  readonly id: number;
  readonly name: string;
  readonly correlation_value: string;
  readonly source: string;
  readonly received_at: number;
  readonly uuid: string | null;
  readonly deliveries: number;
  readonly attributed: number;
  readonly head: string;
  readonly is_cut: number;
}

interface WholeRow {
  readonly id: number;
  readonly received_at: number;
  readonly deliveries: number;
  readonly attributed: number;
  readonly body: string;
}
