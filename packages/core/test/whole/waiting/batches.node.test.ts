import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, numbersOf } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const WAIT_MS = 1_000;

/** A tracker that sends three events together, and lets none wait for longer than a second. */
function createBench(options: BenchOptions = {}): Bench {
  return new Bench({ maxEvents: 3, ...options, batch: { maxWaitMs: WAIT_MS, ...options.batch } });
}

/** The numbers of the events in each request. */
function batchesOf({ transport }: Bench): number[][] {
  return transport.requests.map(numbersOf);
}

describe('a batch', () => {
  it('is full before it is due; the others wait as long as before', async () => {
    const bench = createBench();
    bench.trackNow(1);
    await bench.pass(500);
    expect(bench.requests).toBe(0);
    bench.trackNow(3);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1, 2]]);
    await bench.pass(WAIT_MS - 2);
    expect(bench.requests).toBe(1);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1, 2], [3]]);
    expect(bench.transport.times).toEqual([500, 500 + WAIT_MS]);
  });

  it('is not sent before the journal has its events, however old they are', async () => {
    const journal = new FakeJournal();
    const bench = createBench({ journal });
    const release = journal.hangAppends();
    bench.trackNow(4);
    await bench.pass(10 * WAIT_MS);
    expect(bench.requests).toBe(0);
    release();
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1, 2], [3]]);
  });
});
