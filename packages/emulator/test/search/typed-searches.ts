// Random searches, made from seeds, so that a failure can be repeated.
import { expect } from 'vitest';
import type { ReceivedEvent } from '../../src/events/tracked-events.ts';
import type { SearchFilter } from '../../src/search/event-filter.ts';
import { Search } from '../../src/search/search.ts';
import { Database } from '../../src/storage/database.ts';
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

/** Creates events and two searches of them. `indexed` indexes them when `index()` is called; `unindexed` never does. */
export function setUp() {
  const database = new Database();
  const events = new EventStore(database);
  // Their clocks stand still: they never reach a limit, however busy the machine is, and never let the timer of the index run.
  const search = () => new Search(database, () => events.totals, { limits: () => 0, turns: () => 0 });
  const [unindexed, indexed] = [search(), search()];
  const ids = async (search: Search, filter: SearchFilter) =>
    (await search.rows(filter, { limit: 1_000 })).rows.map(({ id }) => id);
  const index = () => {
    while (indexed.step());
    return indexed.indexed;
  };
  return { database, events, unindexed, indexed, index, ids };
}

/** An event as the store takes it. `text` is its text as the sender wrote it. */
export function received(fields: Parameters<typeof event>[0], text?: string): ReceivedEvent {
  const made = event(fields);
  return { event: made, text: text ?? JSON.stringify(made) };
}

/** Makes random searches from a seed. Each must find the same with the index and without it. */
export async function searchTyped(seed: number, times = 250): Promise<void> {
  const random = generator(seed);
  const some = (most: number, separator: string) =>
    Array.from(
      { length: 1 + Math.floor(random() * most) },
      () => FRAGMENTS[Math.floor(random() * FRAGMENTS.length)],
    ).join(separator);
  const { events, unindexed, indexed, index, ids } = setUp();
  const stored = Array.from({ length: 300 }, () => {
    const value = some(3, '');
    return received({
      event: some(2, ' '),
      correlationValue: some(2, ''),
      payload: { [some(1, '')]: [value, { deep: some(6, ' ') }] },
    });
  });
  events.add(stored, null);
  expect(index()).toBe(300);
  for (let time = 0; time < times; time += 1) {
    const filter = {
      text: some(4, random() < 0.5 ? ' ' : ''),
      ...(random() < 0.2 ? { name: stored[Math.floor(random() * 300)]?.event.event } : {}),
      ...(random() < 0.1 ? { correlationValue: some(2, '') } : {}),
    };
    const found = await ids(indexed, filter);
    expect({ filter, found }).toEqual({ filter, found: await ids(unindexed, filter) });
    expect(await indexed.count(filter)).toEqual({ count: found.length, isExact: true });
  }
}
