import { describe, expect, it } from 'vitest';
import { SearchIndex } from '../../src/search/search-index.ts';
import { Database } from '../../src/storage/database.ts';

const LAST_OF_FIRST = 131_072;

function setUp() {
  const database = new Database();
  const index = new SearchIndex(database);
  const extent = { oldest: LAST_OF_FIRST - 99, newest: LAST_OF_FIRST - 100 };
  /** Stores events, and adds them to the index in turns. */
  const add = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      extent.newest += 1;
      database.run(
        `INSERT INTO events (id, name, correlation_key, correlation_value, source, received_at, body)
         VALUES (?, 'purchase', 'email', 'ada', 'custom', 0, ?)`,
        extent.newest,
        `{"payload":{"number":${extent.newest}}}`,
      );
    }
    while (index.step(extent));
  };
  const counts = () =>
    index
      .partitions(1, index.through)
      .map((each) => index.find(each, 'purchase', 1, index.through, 1_000).length);
  return { database, index, extent, add, counts };
}

describe('the search index', () => {
  it('has a table for each part of the events', () => {
    const { index, add, counts } = setUp();
    add(170);
    add(5);
    expect(index.through).toBe(LAST_OF_FIRST + 75);
    expect(counts()).toEqual([75, 100]);
    for (const id of [LAST_OF_FIRST - 99, LAST_OF_FIRST, LAST_OF_FIRST + 1, LAST_OF_FIRST + 75]) {
      const found = index
        .partitions(1, index.through)
        .flatMap((each) => index.find(each, String(id), 1, index.through, 10));
      expect(found).toEqual([id]);
    }
  });

  it('has all of what it is given at once, or nothing of it', () => {
    const { database, index, add, counts } = setUp();
    add(100);
    database.exec(
      "CREATE TRIGGER full BEFORE UPDATE OF indexed ON totals BEGIN SELECT raise(ABORT, 'no room'); END",
    );
    expect(() => add(20)).toThrow('no room');
    expect(index.through).toBe(LAST_OF_FIRST);
    expect(counts()).toEqual([100]);
    database.exec('DROP TRIGGER full');
    add(0);
    expect(counts()).toEqual([20, 100]);
  });

  it('drops the tables of events that are gone', () => {
    const { index, extent, add, counts } = setUp();
    add(120);
    extent.oldest = LAST_OF_FIRST + 1;
    add(0);
    expect(counts()).toEqual([20]);
    expect(index.through).toBe(LAST_OF_FIRST + 20);
  });
});
