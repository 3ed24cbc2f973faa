// Random searches, made from seeds, so that a failure can be repeated.
import { expect } from 'vitest';
import type { ReceivedEvent } from '../../src/events/tracked-events.ts';
import { Search } from '../../src/search/search.ts';
import { Database } from '../../src/storage/database.ts';
import type { SearchFilter } from '../../src/storage/event-filter.ts';
import { EventStore } from '../../src/storage/event-store.ts';
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

/** Creates events, and a search of them. */
export function setUp() {
  const database = new Database();
  const events = new EventStore(database);
  // Its clock stands still: it never reaches a limit, however busy the machine is.
  const search = new Search(
    database,
    () => events.totals,
    () => 0,
  );
  const ids = async (filter: SearchFilter) =>
    (await search.rows({ ...filter, limit: 1_000 })).rows.map(({ id }) => id);
  return { database, events, search, ids };
}

/** An event as the store takes it. `text` is its text as the sender wrote it. */
export function received(fields: Parameters<typeof event>[0], text?: string): ReceivedEvent {
  const made = event(fields);
  return { event: made, text: text ?? JSON.stringify(made) };
}

/**
 * Makes random searches from a seed. What is found for several words must be found for each of them alone, and counting must come to
 * the same as listing.
 */
export async function searchTyped(seed: number, times = 250): Promise<void> {
  const random = generator(seed);
  const some = (most: number, separator: string) =>
    Array.from(
      { length: 1 + Math.floor(random() * most) },
      () => FRAGMENTS[Math.floor(random() * FRAGMENTS.length)],
    ).join(separator);
  const { events, search, ids } = setUp();
  const stored = Array.from({ length: 300 }, () => {
    const value = some(3, '');
    return received({
      event: some(2, ' '),
      correlationValue: some(2, ''),
      payload: { [some(1, '')]: [value, { deep: some(6, ' ') }] },
    });
  });
  for (let at = 0; at < 300; at += 30) {
    events.add(events.stage(stored.slice(at, at + 30)), 1);
    for (let time = 0; time < times / 10; time += 1) {
      const filter = {
        text: some(4, random() < 0.5 ? ' ' : ''),
        ...(random() < 0.2 ? { name: stored[Math.floor(random() * 300)]?.event.event } : {}),
        ...(random() < 0.1 ? { correlationValue: some(2, '') } : {}),
      };
      const found = await ids(filter);
      for (const text of filter.text.split(/\s/u)) {
        expect({ filter, text, found: await ids({ ...filter, text }) }).toEqual({
          ...{ filter, text },
          found: expect.arrayContaining(found),
        });
      }
      expect(await search.count(filter)).toEqual({ count: found.length, isExact: true });
    }
  }
}
