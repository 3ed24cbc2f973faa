import type { EventFilter } from '../../events/tracked-events.ts';
import { PRIMARY_KEY_SETTING } from '../settings-store.ts';
import { escapeText } from './escaped-text.ts';

/** SQL that is 1 for a row of `events` whose customer exists now, else 0. It is not stored, because customers come and go. */
export const ATTRIBUTED: string = `coalesce(
  events.correlation_key = (SELECT value FROM settings WHERE name = '${PRIMARY_KEY_SETTING}')
  AND EXISTS (SELECT 1 FROM customers WHERE primary_value = events.correlation_value), 0)`;

/** A WHERE clause, which may be empty, and the values of its parameters. */
export interface Conditions {
  readonly where: string;
  readonly values: readonly (string | number)[];
}

/** Builds the WHERE clause for a filter of events. */
export function conditions({ name, correlationValue, source, uuid, attributed }: EventFilter): Conditions {
  const wanted: readonly (readonly [sql: string, value: string | number | undefined])[] = [
    ['name', name && escapeText(name)],
    ['correlation_value', correlationValue && escapeText(correlationValue)],
    ['source', source && escapeText(source)],
    ['uuid', uuid?.toLowerCase()],
    [ATTRIBUTED, attributed === undefined ? undefined : Number(attributed)],
  ];
  const clauses: string[] = [];
  const values: (string | number)[] = [];
  for (const [sql, value] of wanted) {
    if (value === undefined) continue;
    clauses.push(`${sql} = ?`);
    values.push(value);
  }
  return { where: clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`, values };
}
