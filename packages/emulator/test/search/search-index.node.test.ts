import { describe, expect, it } from 'vitest';
import { type IndexedEvent, SearchIndex } from '../../src/search/search-index.ts';
import { openDatabase } from '../../src/storage/database.ts';

const LAST_OF_FIRST = 131_072;

function setUp() {
  const database = openDatabase(undefined);
  return { database, index: new SearchIndex(database) };
}

function events(first: number, last: number): IndexedEvent[] {
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    ...{ id: first + at, name: 'purchase', correlation_value: 'ada', source: 'custom' },
    body: `{"payload":{"number":${first + at}}}`,
  }));
}

describe('the search index', () => {
  it('takes events at once that two of its tables share', () => {
    const { index } = setUp();
    index.skip(LAST_OF_FIRST - 100);
    index.add(events(LAST_OF_FIRST - 99, LAST_OF_FIRST + 70));
    index.add(events(LAST_OF_FIRST + 71, LAST_OF_FIRST + 75));
    expect(index.through).toBe(LAST_OF_FIRST + 75);
    const partitions = index.partitions(1, index.through);
    expect(partitions.map((each) => index.count(each, 'purchase', 1, index.through, 1_000))).toEqual([
      75, 100,
    ]);
    for (const id of [LAST_OF_FIRST - 99, LAST_OF_FIRST, LAST_OF_FIRST + 1, LAST_OF_FIRST + 75]) {
      const found = partitions.flatMap((each) => index.find(each, String(id), 1, index.through, 10));
      expect(found).toEqual([id]);
    }
  });

  it('has all of what it is given at once, or nothing of it', () => {
    const { database, index } = setUp();
    const before = LAST_OF_FIRST - 20;
    index.skip(before);
    index.add(events(before + 1, before + 10));
    database.exec("CREATE TRIGGER full BEFORE UPDATE ON progress BEGIN SELECT raise(ABORT, 'no room'); END");
    expect(() => index.add(events(before + 11, before + 30))).toThrow('no room');
    expect(index.through).toBe(before + 10);
    expect(index.partitions(1, index.through).map(({ number }) => number)).toEqual([0]);
    database.exec('DROP TRIGGER full');
    index.add(events(before + 11, before + 30));
    const partitions = index.partitions(1, index.through);
    expect(partitions.map((each) => index.count(each, 'purchase', 1, index.through, 99))).toEqual([10, 20]);
  });
});
