import type { TrackerEvent } from '../../admin/contract.ts';
import { readRows, readWhole } from '../../search/found-events.ts';
import type { Database } from '../database.ts';

/** The details of an event, apart from its request and its customer. */
export type EventDetails = Omit<TrackerEvent, 'request' | 'customer'> & { readonly requestId: number | null };

const MOST_REPEATS = 1_000;

/** Reads all details of one event, with its latest 1,000 repeats; undefined if there is no such event. */
export function readEventDetails(database: Database, id: number): EventDetails | undefined {
  const [row] = readRows(database, [id]);
  const [whole] = readWhole(database, [id], Number.POSITIVE_INFINITY);
  if (row === undefined || whole === undefined) return undefined;
  const { requestId } = database
    .prepare('SELECT request_id AS requestId FROM events WHERE id = ?')
    .get(id) as { requestId: number | null };
  const repeats = database
    .prepare(
      `SELECT received_at, request_id FROM repeats WHERE event_id = ? ORDER BY id DESC LIMIT ${MOST_REPEATS}`,
    )
    .all(id) as { received_at: number; request_id: number }[];
  return {
    ...row,
    text: whole.text,
    requestId,
    repeats: repeats
      .map((each) => ({ receivedAt: new Date(each.received_at).toISOString(), requestId: each.request_id }))
      .reverse(),
  };
}
