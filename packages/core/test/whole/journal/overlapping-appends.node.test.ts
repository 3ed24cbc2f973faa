import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../../src/base/event-bytes.ts';
import type { Range } from '../../../src/base/range.ts';
import { Bench, type BenchOptions, groupsOf, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const INTERVAL_MS = 10;
const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
/** Events stay in memory, because no batch is due. */
const NONE_DUE = { maxWaitMs: HOUR };

function createBench(journal: FakeJournal, options: BenchOptions = {}): Bench {
  // The longest waits.
  return new Bench({ journal, commitIntervalMs: INTERVAL_MS, random: () => 1, ...options });
}

function countAppends({ calls }: FakeJournal): number {
  return calls.filter((call) => call === 'append').length;
}

describe('a tracker, if one of several appends fails,', () => {
  it('writes again only what the journal did not take', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: NONE_DUE });
    const release = journal.hangAppends();
    for (let number = 0; number < 2; number += 1) {
      bench.trackNow(1);
      await bench.pass(INTERVAL_MS);
    }
    journal.failAppendsLeft = 1;
    release();
    await bench.quiet();
    expect(bench.tracker.stats().unwritten).toBe(1);
    await bench.tracker.durable();
    expect(groupsOf(journal)).toEqual([[1], [0]]);
    expect(journal.acknowledged).toEqual([]);
    await bench.tracker.flush();
    expect(bench.taken).toEqual([0, 1]);
    expect(journal.acknowledged).toMatchObject([
      { from: 1, to: 2 },
      { from: 0, to: 1 },
    ]);
  });

  it('tries the journal again once the others have ended, however late', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: NONE_DUE });
    const endFirst = journal.hangAppends();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    const endSecond = journal.hangAppends();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppendsLeft = 1;
    endFirst();
    await bench.pass(SECOND);
    expect(countAppends(journal)).toBe(2);
    endSecond();
    await bench.quiet();
    expect(groupsOf(journal)).toEqual([[1], [0]]);
    expect(bench.tracker.stats().unwritten).toBe(0);
  });

  it('sends no event from memory before the others have ended', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const endFirst = journal.hangAppends();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    const endSecond = journal.hangAppends();
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    journal.failAppends = true;
    endFirst();
    await bench.pass(INTERVAL_MS);
    bench.trackNow(1);
    await bench.pass(INTERVAL_MS);
    expect(bench.requests).toBe(0);
    endSecond();
    await bench.pass(INTERVAL_MS);
    expect(bench.taken).toEqual([0, 1, 2]);
  });

  it('sends no event in flush() before the others have ended', async () => {
    let endSecond = (): void => {};
    class HangingJournal extends FakeJournal {
      override append(events: EventBytes): Promise<Range> {
        // The first one does not hang.
        if (countAppends(this) === 1) endSecond = this.hangAppends();
        return super.append(events);
      }
    }
    const journal = new HangingJournal({ maxEvents: 1, maxBytes: 100_000 });
    const bench = createBench(journal, { batch: NONE_DUE });
    journal.failAppends = true;
    bench.trackNow(2);
    const flushed = watch(bench.tracker.flush());
    await bench.quiet();
    expect(countAppends(journal)).toBe(2);
    expect(bench.requests).toBe(0);
    endSecond();
    await bench.quiet();
    expect(flushed.value).toMatchObject({ delivered: 2, pending: 0 });
  });
});
