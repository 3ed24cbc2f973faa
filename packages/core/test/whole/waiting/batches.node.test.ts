import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, numbersOf } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';

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

it('an event whose customer had to wait for another request is sent when it has waited long enough itself', async () => {
  const bench = new Bench({
    ordering: 'per-customer',
    batch: { maxWaitMs: 60_000 },
    delivery: { maxConcurrency: 2 },
  });
  const track = (customer: string, options = {}) =>
    bench.tracker.track('event', { n: 0 }, { correlationValue: customer, ...options });
  let finish = (): void => {};
  bench.answer(() => new Promise((resolve) => (finish = () => resolve(answered(200)))));
  track('x', { priority: 'high' });
  await bench.pass(1_000);
  bench.answer(() => 200);
  track('x');
  await bench.pass(19_000);
  track('y');
  await bench.pass(11_000);
  finish();
  await bench.pass(31_000, 1_000);
  expect(bench.times).toEqual([0, 61_000]);
  expect(bench.transport.requests.map(({ events }) => events.length)).toEqual([1, 2]);
});
