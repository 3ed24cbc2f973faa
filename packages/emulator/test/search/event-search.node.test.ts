import { describe, expect, it } from 'vitest';
import { Search } from '../../src/search/search.ts';
import { received, searchTyped, setUp } from './typed-searches.ts';

describe('a search', () => {
  it('takes whatever is typed', () => searchTyped(1, 80));

  it('finds words that stand in escapes, and not the escapes', async () => {
    const { events, ids } = setUp();
    const body = (payload: string) =>
      `{"payload":{"first":1},"event":"e","correlationKey":"email","correlationValue":"c","source":"custom" , "payload" : ${payload}}`;
    events.add(
      events.stage([
        received(
          {},
          body('{"caf\\u00e9":"line\\nbreak \\"quoted\\" back\\\\slash \\ud83d\\ude00 tab\\tulated"}'),
        ),
      ]),
      1,
    );
    for (const text of ['café', 'break', 'quoted', 'slash', 'ulated', 'line break']) {
      expect([text, ...(await ids({ text }))]).toEqual([text, 1]);
    }
    for (const text of ['nbreak', 'u00e9', 'ud83d', 'tulated', 'first']) {
      expect([text, ...(await ids({ text }))]).toEqual([text]);
    }
  });

  it('goes on where time has run out, until all is found', async () => {
    const { database, events } = setUp();
    database.exec("INSERT INTO customers (primary_value, attributes) VALUES ('nobody@example.com', '{}')");
    for (let batch = 0; batch < 40; batch += 1) {
      events.add(
        events.stage(Array.from({ length: 500 }, () => received({ event: batch === 0 ? 'rare' : 'common' }))),
        1,
      );
    }
    let time = 0;
    const now = () => {
      time += 300;
      return time;
    };
    const search = new Search(database, () => events.totals, now);
    for (const filter of [{ name: 'rare', attributed: false }, { name: 'rare' }, { text: 'rar' }]) {
      const pages: number[] = [];
      for (let before: number | undefined | null; before !== null; ) {
        const page = await search.rows({ ...filter, before, limit: 100 });
        pages.push(page.rows.length);
        before = page.next;
      }
      expect(pages[0]).toBe(0);
      expect(pages.reduce((sum, length) => sum + length)).toBe(500);
    }
    expect((await search.count({ attributed: false })).isExact).toBe(false);
  });
});
