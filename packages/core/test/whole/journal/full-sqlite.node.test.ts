import { afterEach, describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { SqliteJournal } from '../../../src/keep/sqlite/sqlite-journal.ts';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { Sqlite } from '../../bench/sqlite.ts';

const SECOND = 1_000;
/** About ten of these events fit into the journal. */
const LARGE = { bytes: 6_000 };

let database: Sqlite;
afterEach(() => database.close());

/** A tracker whose small journal is a SQLite database. */
function createBench(): { bench: Bench; fill: (count: number) => Promise<void> } {
  database = new Sqlite();
  const journal = new SqliteJournal(database, 'a', new VirtualClock());
  const bench = new Bench({ journal, storage: { maxBytes: 64 * 1024 }, batch: { maxEvents: 1 } });
  /** Tracks events, each in a row of its own. */
  const fill = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      bench.trackNow(1, LARGE);
      await bench.tracker.durable();
    }
  };
  return { bench, fill };
}

describe('a full journal in SQLite', () => {
  it('gives up batches that failed and wait for their next try: they are sent from memory', async () => {
    const { bench, fill } = createBench();
    bench.answer(() => 503);
    await fill(9);
    await bench.pass(60 * SECOND, 5 * SECOND);
    await fill(20);
    bench.answer(() => 200);
    await expect
      .poll(async () => {
        await bench.pass(10 * SECOND, 5 * SECOND);
        return bench.tracker.stats().pending;
      }, PATIENCE)
      .toBe(0);
    const { delivered, dropped } = bench.tracker.stats();
    expect(dropped).toMatchObject({ 'journal-full': 29 - delivered, damaged: 0 });
    expect(sorted(bench.taken).slice(0, 9)).toEqual(range(0, 9));
  });
});
