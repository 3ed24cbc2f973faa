import type { Database } from '../storage/database.ts';
import { UuidIndex } from '../storage/uuid-index.ts';
import { UuidMerger } from './uuid-merger.ts';

// So many are held in memory without a thought; more there are only where the search index was lost.
const MOST_UNMERGED = 1_000_000;

/** Prepares finding events by uuid: with what an emulator before this one did not get to merge. */
export function openUuids(database: Database, index: Database | undefined): UuidIndex {
  const uuids = new UuidIndex(database, index);
  if (index === undefined) return uuids;
  const { newest } = database.prepare('SELECT newest_event AS newest FROM totals').get() as {
    newest: number;
  };
  const merger = new UuidMerger(database, index);
  while (newest - merger.through > MOST_UNMERGED) for (const _ of merger.merge(newest));
  const rows = database
    .prepare('SELECT id, uuid FROM events WHERE id > ? AND uuid IS NOT NULL ORDER BY id')
    .raw(true)
    .all(merger.through) as [id: number, uuid: string][];
  for (const [id, uuid] of rows) uuids.add(uuid, id);
  return uuids;
}
