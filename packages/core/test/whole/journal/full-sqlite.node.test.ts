import { afterEach, describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { SqliteJournal } from '../../../src/keep/sqlite/sqlite-journal.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { answered } from '../../bench/scripted-transport.ts';
import { Sqlite } from '../../bench/sqlite.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
/** About ten of these events fit into the journal. */
const LARGE = { bytes: 6_000 };

let database: Sqlite;
afterEach(() => database.close());

/** A tracker whose small journal is a SQLite database. */
function createBench(): {
  bench: Bench;
  fill: (count: number, options?: { priority: 'high' }) => Promise<void>;
} {
  database = new Sqlite();
  const journal = new SqliteJournal(database, 'a', new VirtualClock());
  const bench = new Bench({
    journal,
    storage: { maxBytes: 64 * 1024 },
    batch: { maxEvents: 1 },
    delivery: { timeoutMs: HOUR },
  });
  /** Tracks events, each in a row of its own. */
  const fill = async (count: number, options = {}): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      bench.trackNow(1, { ...LARGE, ...options });
      await bench.tracker.durable();
    }
  };
  return { bench, fill };
}

/** The service answers no request until the returned function is called. */
function holdAnswers(bench: Bench): () => void {
  let answer = (): void => {};
  const held = new Promise<Outcome>((resolve) => {
    answer = () => resolve(answered(200));
  });
  bench.answer(() => held);
  return answer;
}

/** The service is back, and takes all that waits. */
async function drain(bench: Bench): Promise<void> {
  bench.answer(() => 200);
  await expect
    .poll(async () => {
      await bench.pass(10 * SECOND, 5 * SECOND);
      return bench.tracker.stats().pending;
    }, PATIENCE)
    .toBe(0);
}

describe('a full journal in SQLite', () => {
  it('gives up batches that failed and wait for their next try: they are sent from memory', async () => {
    const { bench, fill } = createBench();
    bench.answer(() => 503);
    await fill(9);
    await bench.pass(60 * SECOND, 5 * SECOND);
    await fill(20);
    await drain(bench);
    const { delivered, dropped } = bench.tracker.stats();
    expect(dropped).toMatchObject({ 'journal-full': 29 - delivered, damaged: 0 });
    expect(sorted(bench.taken).slice(0, 9)).toEqual(range(0, 9));
  });

  it('drops events of high priority last, though their rows are the oldest', async () => {
    const { bench, fill } = createBench();
    const answer = holdAnswers(bench);
    // One is in a request, and all others wait.
    await fill(1);
    await fill(3, { priority: 'high' });
    await fill(20);
    answer();
    await drain(bench);
    expect(sorted(bench.taken)).toEqual([0, 1, 2, 3, ...range(17, 24)]);
    expect((await database.execute('SELECT * FROM sluice_parcels')).rows).toEqual([]);
  });

  it('drops the oldest events of high priority for a new one once there are no others', async () => {
    const { bench, fill } = createBench();
    const answer = holdAnswers(bench);
    await fill(1);
    await fill(13, { priority: 'high' });
    answer();
    await drain(bench);
    expect(sorted(bench.taken)).toEqual([0, ...range(4, 14)]);
  });
});
