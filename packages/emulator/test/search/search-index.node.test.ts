import { describe, expect, it } from 'vitest';
import { lastOf, SearchIndex } from '../../src/search/search-index.ts';
import { Database } from '../../src/storage/database.ts';

const LAST_OF_FIRST = lastOf(0);

function setUp(oldest = LAST_OF_FIRST - 99) {
  const database = new Database();
  const index = new SearchIndex(database);
  const extent = { oldest, newest: oldest - 1 };
  const store = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      extent.newest += 1;
      database.run(
        `INSERT INTO events (id, name, correlation_key, correlation_value, source, received_at, body)
         VALUES (?, 'purchase', 'email', 'ada', 'custom', 0, ?)`,
        extent.newest,
        `{"payload":{"number":${extent.newest}}}`,
      );
    }
  };
  /** Stores events, and adds them to the index in turns. */
  const add = (count: number) => {
    store(count);
    while (index.step(extent));
  };
  const find = (word: string) => [1, 0].map((part) => index.find(part, word, 1, extent.newest, 1_000));
  const counts = () => find('purchase').map(({ length }) => length);
  return { database, index, extent, store, add, find, counts };
}

describe('the search index', () => {
  it('has a table for each part of the events', () => {
    const { index, extent, add, find, counts } = setUp();
    add(170);
    add(5);
    expect(index.missing(extent)).toBe(0);
    expect(counts()).toEqual([75, 100]);
    for (const id of [LAST_OF_FIRST - 99, LAST_OF_FIRST, LAST_OF_FIRST + 1, LAST_OF_FIRST + 75]) {
      expect(find(String(id)).flat()).toEqual([id]);
    }
  });

  it('begins with the newest part', () => {
    const { index, extent, store, add, counts } = setUp();
    store(150);
    index.step(extent);
    expect(counts()).toEqual([50, 0]);
    expect(index.missing(extent)).toBe(100);
    add(10);
    expect(counts()).toEqual([60, 100]);
  });

  it('has all of what it is given at once, or nothing of it', () => {
    const { database, index, extent, add, counts } = setUp();
    add(100);
    database.exec("CREATE TRIGGER full BEFORE INSERT ON parts BEGIN SELECT raise(ABORT, 'no room'); END");
    expect(() => add(20)).toThrow('no room');
    expect(index.missing(extent)).toBe(20);
    expect(counts()).toEqual([0, 100]);
    database.exec('DROP TRIGGER full');
    add(0);
    expect(counts()).toEqual([20, 100]);
  });

  it('is kept, and goes on', () => {
    const { database, extent, add } = setUp();
    add(120);
    const index = new SearchIndex(database);
    expect(index.missing(extent)).toBe(0);
    expect(index.find(1, 'purchase', 1, extent.newest, 1_000)).toHaveLength(20);
  });

  it.each(['', 'DROP TABLE search_0'])('drops the tables of events that are gone (after: %s)', (before) => {
    const { database, index, extent, add, counts } = setUp();
    add(120);
    database.exec(before);
    extent.oldest = LAST_OF_FIRST + 1;
    add(0);
    expect(counts()).toEqual([20, 0]);
    expect(index.missing(extent)).toBe(0);
  });
});
