import { DATE_COLUMN, OPERATOR_COLUMN, type StrikeRow } from './bird-strikes.ts';
import type { StoredEvent } from './service-store.ts';
import { EVENT_NAME, operatorOf, PRIMARY_KEY, rowUuid } from './strike-event.ts';

/** The result of the comparison between the service and the CSV. */
export interface Audit {
  /** Rows whose event the service has. */
  readonly delivered: number;
  /** How many times the service received an event that it had already. */
  readonly duplicates: number;
  /** Events that the service attributed to one of its customers. */
  readonly attributed: number;
  /** Differences from the CSV, one sentence each. */
  readonly differences: readonly string[];
}

/** Compares every stored event with its row, in all fields. Takes the expected values from the row, not from `toEvent`. */
export function audit(rows: readonly StrikeRow[], stored: readonly StoredEvent[]): Audit {
  const byUuid = new Map(stored.map((event) => [event.uuid, event]));
  const differences: string[] = [];
  let duplicates = 0;
  let attributed = 0;
  let delivered = 0;
  for (const [index, row] of rows.entries()) {
    const uuid = rowUuid(index);
    const found = byUuid.get(uuid);
    if (found === undefined) continue;
    byUuid.delete(uuid);
    delivered += 1;
    duplicates += found.deliveries - 1;
    if (found.attributed) attributed += 1;
    const difference = findDifference(row, found.event);
    if (difference !== undefined) differences.push(`row ${index}: ${difference}`);
  }
  for (const uuid of byUuid.keys()) differences.push(`event ${uuid} belongs to no row`);
  return { delivered, duplicates, attributed, differences };
}

function findDifference(row: StrikeRow, event: StoredEvent['event']): string | undefined {
  const { payload = {} } = event;
  const expected: [field: string, actual: unknown, expected: unknown][] = [
    ['event', event.event, EVENT_NAME],
    ['timestamp', event.timestamp, `${row[DATE_COLUMN]}T00:00:00.000Z`],
    ['correlationKey', event.correlationKey, PRIMARY_KEY],
    ['correlationValue', event.correlationValue, operatorOf(row)],
    ['number of payload fields', Object.keys(payload).length, Object.keys(row).length - 2],
  ];
  for (const [column, cell] of Object.entries(row)) {
    if (column === DATE_COLUMN || column === OPERATOR_COLUMN) continue;
    expected.push([`payload["${column}"]`, payload[column], cell]);
  }
  const wrong = expected.find(([, actual, wanted]) => actual !== wanted);
  if (wrong === undefined) return undefined;
  const [field, actual, wanted] = wrong;
  return `${field} is ${JSON.stringify(actual)}, in the CSV ${JSON.stringify(wanted)}`;
}
