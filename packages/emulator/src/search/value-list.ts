import type { TrackerValues } from '../admin/contract.ts';
import { type Database, unescapeText } from '../storage/database.ts';
import type { Extent } from '../storage/event-store.ts';
import type { Search } from './search.ts';

/** The fields whose values can be listed. */
export type ValueField = 'name' | 'source' | 'correlationValue';

const COLUMNS = { name: 'name', source: 'source', correlationValue: 'correlation_value' } as const;
const MOST_VALUES = 20;
const NEWEST = 20_000;
const MOST_FOUND = 1_000;

/**
 * Lists values of a field that begin with `start`, ignoring case, most frequent first. They come from the newest 20,000 events.
 * If these give too few values, it adds rarer ones that the index finds, unless `start` is empty.
 */
export async function listValues(
  database: Database,
  search: Search,
  { oldest, newest }: Extent,
  field: ValueField,
  start: string,
): Promise<TrackerValues['values']> {
  const column = COLUMNS[field];
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
