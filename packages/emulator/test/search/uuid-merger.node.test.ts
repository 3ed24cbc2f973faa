import { expect, it } from 'vitest';
import { openIndex } from '../../src/search/index-database.ts';
import { UuidMerger } from '../../src/search/uuid-merger.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { EventStore } from '../../src/storage/event-store.ts';
import { hash53 } from '../../src/storage/hash.ts';
import { UuidIndex } from '../../src/storage/uuid-index.ts';
import { event } from '../service.ts';

const EVENTS = 40_000;

it('uuids are merged in many steps, those of all events that have one, each with its event', () => {
  const database = openDatabase(undefined);
  const store = new EventStore(database, new UuidIndex(database));
  const uuidOf = (id: number) => `01234567-89ab-4cde-8f01-${String(id).padStart(12, '0')}`;
  const batch = Array.from({ length: EVENTS }, (_, at) =>
    event(at % 10 === 0 ? {} : { uuid: uuidOf(at + 1) }),
  );
  store.add(
    batch.map((each) => ({ event: each, text: JSON.stringify(each) })),
    null,
  );
  const index = openIndex(undefined, database);
  const merger = new UuidMerger(database, index);
  let steps = 0;
  for (const _ of merger.merge(EVENTS)) steps += 1;
  expect(steps).toBeGreaterThanOrEqual(5);
  expect(merger.through).toBe(EVENTS);
  const rows = index.prepare('SELECT id, hash FROM uuids ORDER BY id').all() as {
    id: number;
    hash: number;
  }[];
  expect(rows).toHaveLength(EVENTS * 0.9);
  expect(rows.filter(({ id, hash }) => hash !== hash53(uuidOf(id)))).toEqual([]);
});
