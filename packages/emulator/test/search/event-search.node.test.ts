import { describe, expect, it } from 'vitest';
import type { SearchFilter } from '../../src/search/event-filter.ts';
import { EventSearch } from '../../src/search/event-search.ts';
import { openIndex } from '../../src/search/index-database.ts';
import { SearchEngine } from '../../src/search/search-engine.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { finish } from '../../src/search/work.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { EventStore, type ReceivedEvent } from '../../src/storage/event-store.ts';
import { UuidIndex } from '../../src/storage/uuid-index.ts';
import { event, generator } from '../service.ts';

const FRAGMENTS = [
  ...['purchase', 'Größe', 'GROSSE', 'cafe\u0301', 'café', 'a', 'ab', 'abc', 'A-12345', '12345', '42.5', 'x'],
  ...[
    '"',
    '""',
    "'",
    '*',
    '^',
    '-',
    '+',
    ':',
    '(',
    ')',
    '{',
    '}',
    ',',
    '.',
    '\\',
    '/',
    ';',
    '--',
    '%',
    '_',
    '@',
  ],
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR',
    'NEAR(a b, 2)',
    'exact',
    'exact:',
    'text :',
    'rowid',
    'n12',
    'search_0',
    '日本',
    '語',
  ],
  ...[
    '\u0000',
    '\uD800',
    '\uDC00',
    '\u{1F600}',
    '\t',
    '\n',
    ' ',
    '  ',
    'é',
    'ß',
    'İ',
    'ﬁ',
    '٣',
    '\u00AD',
    '\uFEFF',
  ],
];

function setUp() {
  const database = openDatabase(undefined);
  const events = new EventStore(database, new UuidIndex(database));
  // Their time is never over, however busy the machine is.
  const engine = () => new SearchEngine(database, openIndex(undefined, database), false, 100, () => 0);
  const [unindexed, indexed] = [engine(), engine()];
  const ids = (engine: SearchEngine, filter: SearchFilter) =>
    finish(engine.ask('rows', [filter, { limit: 1_000 }], events.totals)).rows.map(({ id }) => id);
  const count = (engine: SearchEngine, filter: SearchFilter) =>
    finish(engine.ask('count', [filter], events.totals));
  const index = () => {
    while (indexed.step(events.totals, false));
  };
  return { database, events, unindexed, indexed, index, ids, count };
}

function received(fields: Parameters<typeof event>[0], text?: string): ReceivedEvent {
  const made = event(fields);
  return { event: made, text: text ?? JSON.stringify(made) };
}

describe('a search', () => {
  it.each([1, 2, 3])(
    'takes whatever is typed, and finds the same with the index and without (seed %i)',
    (seed) => {
      const random = generator(seed);
      const some = (most: number, separator: string) =>
        Array.from(
          { length: 1 + Math.floor(random() * most) },
          () => FRAGMENTS[Math.floor(random() * FRAGMENTS.length)],
        ).join(separator);
      const { events, unindexed, indexed, index, ids, count } = setUp();
      const stored = Array.from({ length: 300 }, () => {
        const value = some(3, '');
        return received({
          event: some(2, ' '),
          correlationValue: some(2, ''),
          payload: { [some(1, '')]: [value, { deep: some(6, ' ') }] },
        });
      });
      events.add(stored, null);
      index();
      expect([unindexed.indexed, indexed.indexed]).toEqual([0, 300]);
      for (let time = 0; time < 250; time += 1) {
        const filter = {
          text: some(4, random() < 0.5 ? ' ' : ''),
          ...(random() < 0.2 ? { name: stored[Math.floor(random() * 300)]?.event.event } : {}),
          ...(random() < 0.1 ? { correlationValue: some(2, '') } : {}),
        };
        const found = ids(indexed, filter);
        expect({ filter, found }).toEqual({ filter, found: ids(unindexed, filter) });
        expect(count(indexed, filter)).toEqual({ count: found.length, isExact: true });
      }
    },
  );

  it('finds words that stand in escapes, and not the escapes', () => {
    const { events, indexed, index, ids } = setUp();
    const body = (payload: string) =>
      `{"payload":{"first":1},"event":"e","correlationKey":"email","correlationValue":"c","source":"custom" , "payload" : ${payload}}`;
    events.add(
      [
        received(
          {},
          body('{"caf\\u00e9":"line\\nbreak \\"quoted\\" back\\\\slash \\ud83d\\ude00 tab\\tulated"}'),
        ),
      ],
      null,
    );
    for (const isIndexed of [false, true]) {
      if (isIndexed) index();
      for (const text of ['café', 'break', 'quoted', 'slash', 'ulated', 'line break']) {
        expect([text, ...ids(indexed, { text })]).toEqual([text, 1]);
      }
      for (const text of ['nbreak', 'u00e9', 'ud83d', 'tulated', 'first']) {
        expect([text, ...ids(indexed, { text })]).toEqual([text]);
      }
    }
  });

  it('of very large events, and of deep ones, ends', () => {
    const { events, indexed, index, ids } = setUp();
    const deep = `${'['.repeat(50_000)}"bottom"${']'.repeat(50_000)}`;
    const large = JSON.stringify({ text: 'word '.repeat(2_000_000), last: 'unreached' });
    const body = (payload: string) => `{"event":"e","payload":{"a":${payload}}}`;
    events.add([received({}, body(deep)), received({}, body(large)), received({}, body('"small"'))], null);
    index();
    expect(ids(indexed, { text: 'bottom' })).toEqual([1]);
    expect(ids(indexed, { text: 'word' })).toEqual([2]);
    expect(ids(indexed, { text: 'unreached' })).toEqual([]);
    expect(ids(indexed, { text: 'small' })).toEqual([3]);
  });

  it('goes on where time has run out, until all is found', () => {
    const { database, events } = setUp();
    database.exec("INSERT INTO customers (primary_value, attributes) VALUES ('nobody@example.com', '{}')");
    for (let batch = 0; batch < 40; batch += 1) {
      events.add(
        Array.from({ length: 500 }, () => received({ event: batch === 0 ? 'rare' : 'common' })),
        null,
      );
    }
    const index = new SearchIndex(openIndex(undefined, database));
    let time = 0;
    const search = new EventSearch(database, index, () => {
      time += 300;
      return time;
    });
    for (const filter of [{ name: 'rare', attributed: false }, { text: 'rar' }, { text: 'ra' }]) {
      const pages: number[] = [];
      for (let before: number | undefined | null; before !== null; ) {
        const page = finish(search.rows(filter, { before, limit: 100 }, events.totals));
        pages.push(page.rows.length);
        before = page.next;
      }
      expect(pages[0]).toBe(0);
      expect(pages.reduce((sum, length) => sum + length)).toBe(500);
      expect(finish(search.count(filter, events.totals)).isExact).toBe(false);
    }
  });
});
