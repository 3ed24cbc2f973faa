import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, numbersOf, watch } from '../../bench/bench.ts';
import { hang } from '../../bench/scripted-transport.ts';

const WAIT_MS = 1_000;
const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const DAY = 24 * HOUR;

/** A tracker that sends three events together, and lets none wait for longer than a second. */
function createBench(options: BenchOptions = {}): Bench {
  return new Bench({ maxEvents: 3, ...options, batch: { maxWaitMs: WAIT_MS, ...options.batch } });
}

/** The numbers of the events in each request. */
function batchesOf({ transport }: Bench): number[][] {
  return transport.requests.map(numbersOf);
}

describe('a batch', () => {
  it('is sent when its oldest event has waited long enough', async () => {
    const bench = createBench();
    bench.trackNow(1);
    await bench.pass(400);
    bench.trackNow(1);
    await bench.pass(599);
    expect(bench.requests).toBe(0);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1]]);
    expect(bench.clock.timers).toBe(0);
  });

  it('needs one timer, however many events wait for it', async () => {
    const bench = createBench({ maxEvents: 100 });
    for (let count = 0; count < 10; count += 1) {
      bench.trackNow(1);
      await bench.pass(10);
      expect(bench.clock.timers).toBe(1);
    }
  });

  it('is sent as soon as it has enough events, and leaves no timer', async () => {
    const bench = createBench();
    bench.trackNow(1);
    await bench.pass(500);
    bench.trackNow(2);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1, 2]]);
    expect(bench.clock.timers).toBe(0);
  });

  it('has no more events than it may have, and none of them waits longer than it may', async () => {
    const bench = createBench();
    bench.trackNow(1);
    await bench.pass(500);
    expect(bench.requests).toBe(0);
    bench.trackNow(3);
    await bench.pass(WAIT_MS - 1);
    expect(batchesOf(bench)[0]).toContain(0);
    await bench.pass(1);
    expect(batchesOf(bench).flat()).toEqual([0, 1, 2, 3]);
    expect(
      batchesOf(bench)
        .map(({ length }) => length)
        .sort(),
    ).toEqual([1, 3]);
  });

  it('is sent as soon as it has enough bytes, and has no more than these', async () => {
    const bench = createBench({ maxEvents: 100, batch: { maxBytes: 3_000 } });
    bench.trackNow(2, { bytes: 1_000 });
    await bench.pass(1);
    expect(bench.requests).toBe(0);
    bench.trackNow(1, { bytes: 1_000 });
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0, 1]]);
  });

  it('has one event alone if that is larger than a batch may be', async () => {
    const bench = createBench({ maxEvents: 100, batch: { maxBytes: 3_000 } });
    bench.trackNow(1);
    bench.trackNow(1, { bytes: 5_000 });
    bench.trackNow(1);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0], [1]]);
    await bench.pass(WAIT_MS);
    expect(batchesOf(bench)).toEqual([[0], [1], [2]]);
  });

  it('is sent at once if events need not wait', async () => {
    const bench = createBench({ batch: { maxWaitMs: 0 } });
    bench.trackNow(1);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0]]);
    expect(bench.transport.times).toEqual([0]);
    expect(bench.clock.timers).toBe(0);
  });

  it('does not wait while somebody waits for the events, and waits again after that', async () => {
    const bench = createBench({ delivery: { maxConcurrency: 4 } });
    bench.answer((_, request) => hang(request));
    bench.trackNow(1);
    const flushes = [5 * SECOND, 10 * SECOND].map((timeoutMs) => watch(bench.tracker.flush({ timeoutMs })));
    const over = () => flushes.map(({ isOver }) => isOver);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0]]);
    await bench.pass(5 * SECOND);
    expect(over()).toEqual([true, false]);
    bench.trackNow(1);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0], [1]]);
    await bench.pass(5 * SECOND);
    expect(over()).toEqual([true, true]);
    bench.trackNow(1);
    await bench.pass(WAIT_MS - 1);
    expect(bench.requests).toBe(2);
    await bench.pass(1);
    expect(batchesOf(bench)).toEqual([[0], [1], [2]]);
  });

  it('waits no longer if the time of day is set back meanwhile', async () => {
    const bench = createBench();
    bench.trackNow(1);
    await bench.pass(WAIT_MS / 2);
    bench.time.skewMs = -DAY;
    await bench.pass(WAIT_MS);
    expect(batchesOf(bench)).toEqual([[0]]);
  });
});

describe('a batch, once the service has refused larger bodies', () => {
  /** A tracker that knows that its service takes bodies of 4,096 bytes, and not much more. */
  async function createTaught(): Promise<{ bench: Bench; before: number }> {
    const bench = createBench({ maxEvents: 10, batch: { maxWaitMs: HOUR } });
    bench.answer((_, { body }) => (body.length > 4_096 ? 413 : 200));
    bench.trackNow(10, { bytes: 1_000 });
    await bench.pass(1);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 10, bodyLimit: expect.any(Number) });
    return { bench, before: bench.requests };
  }

  it('is sent as soon as it has as many bytes as are known to be taken, and has no more than these', async () => {
    const { bench, before } = await createTaught();
    const { bodyLimit = 0 } = bench.tracker.stats();
    bench.trackNow(6, { bytes: 1_000 });
    await bench.pass(1);
    const [request] = bench.transport.requests.slice(before);
    expect(request?.body.length).toBeGreaterThan(0);
    expect(request?.body.length).toBeLessThanOrEqual(bodyLimit);
  });

  it('has one event alone if that is larger, and may be taken all the same', async () => {
    const { bench, before } = await createTaught();
    const { bodyLimit = 0 } = bench.tracker.stats();
    bench.answer(() => 200);
    bench.trackNow(1);
    bench.trackNow(1, { bytes: bodyLimit });
    bench.trackNow(1);
    void bench.tracker.flush();
    await bench.pass(1);
    const batches = batchesOf(bench).slice(before);
    expect(batches.sort(([one = 0], [other = 0]) => one - other)).toEqual([[10], [11], [12]]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 13, invalid: 0 });
  });
});
