import type { Database } from '../database.ts';

/**
 * Returns the id of the first event from `first` to `last` that was received at `time` or later, else `last + 1`. It uses binary
 * search: events are in the order of their times, unless the clock was set back.
 */
export function firstReceived(database: Database, time: number, first: number, last: number): number {
  const read = database.prepare('SELECT received_at AS at FROM events WHERE id = ?');
  let low = first;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = read.get(middle) as { at: number } | undefined;
    if (row === undefined || row.at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
