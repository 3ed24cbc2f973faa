import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Search } from '../../src/search/search.ts';
import { Database } from '../../src/storage/database.ts';
import type { SearchFilter } from '../../src/storage/event-filter.ts';
import { EventStore } from '../../src/storage/event-store.ts';
import { event } from '../service.ts';

const EVENTS = 20_000;

/** A search on a clock that stands still, unless another is given: so its time limit is never reached. */
function setUp(now = () => 0) {
  const database = new Database();
  database.exec("INSERT INTO customers (primary_value, attributes) VALUES ('nobody@example.com', '{}')");
  const events = new EventStore(database);
  for (let stored = 0; stored < EVENTS; stored += 500) {
    const batch = Array.from({ length: 500 }, (_, at) => event({ payload: { at: stored + at } }));
    events.add(events.stage(batch.map((each) => ({ event: each, text: JSON.stringify(each) }))), 1);
  }
  const search = new Search(database, () => events.totals, now);
  return { database, events, search };
}

describe('a search in memory', () => {
  it.each<[SearchFilter, turns: number, found: number]>([
    [{ text: 'z' }, 20, 0], // too short to look up: every text is searched
    [{ text: 'p' }, 1, 100],
    [{ attributed: true }, 2, 0],
  ])('for %j lets others have their turn between pieces of it', async (filter, turns, found) => {
    const { search } = setUp();
    let passed = 0;
    let isOver = false;
    const searching = search.rows({ ...filter, limit: 100 }).finally(() => {
      isOver = true;
    });
    for (; !isOver; await setImmediate()) passed += 1;
    expect((await searching).rows).toHaveLength(found);
    expect(passed).toBeGreaterThanOrEqual(turns);
    search.close();
  });

  it('outlives that events are removed while it goes on', async () => {
    const { events, search } = setUp();
    const searching = search.rows({ text: 'a', limit: EVENTS });
    await setImmediate();
    events.removeBefore(EVENTS - 5, EVENTS);
    const { rows } = await searching;
    expect(rows.every(({ id }) => id >= EVENTS - 5)).toBe(true);
  });

  it.each([
    ['SQLITE_FULL', 'max_page_count = 1', 'max_page_count = 1000000'],
    ['SQLITE_READONLY', 'query_only = ON', 'query_only = OFF'],
  ])('says why it cannot be prepared (%s), and goes on when it can', async (code, setting, back) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, search } = setUp();
    database.exec(`PRAGMA ${setting}`);
    await expect(search.rows({ text: 'p', limit: 1 })).rejects.toMatchObject({ code });
    vi.runAllTimers(); // it indexes in the background, too
    database.exec(`PRAGMA ${back}`);
    expect((await search.rows({ text: 'p', limit: 1 })).rows).toHaveLength(1);
    search.close();
  });

  it('is prepared in a twentieth of the time while events arrive, and soon when no more do', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let time = 0;
    const { search } = setUp(() => {
      time += 10; // each piece of the index takes 10 ms
      return time;
    });
    const added = () => EVENTS - search.unindexed;
    await search.rows({ limit: 1 });
    search.changed();
    vi.advanceTimersByTime(10);
    const piece = added();
    expect(piece).toBeGreaterThan(0);
    search.changed();
    vi.advanceTimersByTime(189);
    expect(added()).toBe(piece);
    vi.advanceTimersByTime(1);
    expect(added()).toBe(2 * piece);
    vi.advanceTimersByTime(190);
    expect(added()).toBe(3 * piece);
    vi.advanceTimersByTime(30);
    expect(added()).toBe(6 * piece);
    search.close();
  });

  it('is given up where the emulator is closed', async () => {
    const { search } = setUp();
    const searching = search.rows({ text: 'z', limit: 100 });
    search.close();
    await expect(searching).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
