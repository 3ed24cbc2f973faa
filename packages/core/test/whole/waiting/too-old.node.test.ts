import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, range, sorted, textsOf, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { failed, hang } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const MAX_AGE_MS = 10 * SECOND;
/** How often the tracker looks for events that are too old, whether or not it does anything else. */
const LOOK_MS = MAX_AGE_MS / 20;

/** A tracker whose new events wait for a flush, and may get ten seconds old. */
function createBench(options: BenchOptions = {}): { bench: Bench; journal: FakeJournal } {
  const journal = new FakeJournal();
  const storage = { maxAgeMs: MAX_AGE_MS };
  return { journal, bench: new Bench({ journal, storage, batch: { maxWaitMs: HOUR }, ...options }) };
}

/** Has the tracker look at what waits, and deliver it. Lets no time pass. */
async function flushNow(bench: Bench): Promise<void> {
  void bench.tracker.flush();
  await bench.quiet();
}

/** The indexes of the events that a journal has released, each as often as it was. */
function released({ acknowledged }: FakeJournal): number[] {
  return sorted(acknowledged.flatMap(({ from, to }) => range(from, to)));
}

describe('an event that waits in memory', () => {
  it('is dropped and released once it is older than it may be; younger ones are delivered', async () => {
    const { bench, journal } = createBench();
    bench.trackNow(4);
    await bench.pass(1);
    bench.trackNow(1);
    await bench.pass(MAX_AGE_MS);
    await flushNow(bench);
    expect(bench.taken).toEqual([4]);
    expect(bench.tracker.stats()).toMatchObject({ dropped: { expired: 4 }, delivered: 1, pending: 0 });
    expect(released(journal)).toEqual(range(0, 5));
  });

  it('is no younger one of another customer, while that one is not written', async () => {
    const { bench, journal } = createBench({ ordering: 'per-customer' });
    const write = journal.hangAppends();
    await bench.track(1);
    journal.hangAppends()();
    await bench.pass(MAX_AGE_MS / 2);
    bench.tracker.track('event', { n: 1 }, { correlationValue: 'bob@example.com' });
    await bench.pass(MAX_AGE_MS / 2 + LOOK_MS);
    expect(bench.drops).toEqual([]);
    write();
    await flushNow(bench);
    expect(bench.taken).toEqual([1]);
    expect(bench.tracker.stats()).toMatchObject({ dropped: { expired: 1 }, delivered: 1, pending: 0 });
  });

  it('is delivered as long as it is not older', async () => {
    const { bench } = createBench();
    bench.trackNow(4);
    await bench.pass(MAX_AGE_MS);
    await flushNow(bench);
    expect(bench.taken).toEqual(range(0, 4));
    expect(bench.drops).toEqual([]);
  });

  it('is dropped with many others, more than a batch may hold', async () => {
    const { bench } = createBench();
    bench.trackNow(400);
    await bench.pass(SECOND);
    bench.trackNow(200);
    bench.answer((_, request) => hang(request));
    await bench.pass(1);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 500 });
    for (let round = 0; round < 10; round += 1) await bench.track(150);
    await bench.pass(MAX_AGE_MS + LOOK_MS);
    expect(bench.tracker.stats()).toMatchObject({ pending: 500, dropped: { expired: 1_600 } });
  });

  it('is dropped without a call of the tracker, soon after it got too old', async () => {
    const { bench } = createBench();
    bench.trackNow(1);
    await bench.pass(MAX_AGE_MS);
    expect(bench.drops).toEqual([]);
    await bench.pass(LOOK_MS + 1);
    expect(bench.drops).toEqual([{ reason: 'expired', count: 1 }]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, memoryBytes: 0 });
  });

  it('is counted as dropped also if the journal cannot note it, which is told', async () => {
    const { bench, journal } = createBench();
    bench.trackNow(1);
    await bench.pass(MAX_AGE_MS);
    journal.failAcknowledgements = true;
    await bench.pass(LOOK_MS + 1);
    expect(bench.drops).toEqual([{ reason: 'expired', count: 1 }]);
    expect(bench.storageFailures.length).toBeGreaterThan(0);
    expect(bench.tracker.stats().pending).toBe(0);
  });
});

describe('an event that only the journal has', () => {
  it('is dropped and released if the journal says that it is too old; younger ones are delivered', async () => {
    const { bench, journal } = createBench();
    const oldest = bench.clock.now() - MAX_AGE_MS;
    await journal.leave(
      textsOf(range(0, 6)),
      [-4, -3, -2, -1, 0, 1].map((ms) => oldest + ms),
    );
    await bench.quiet();
    expect(bench.taken).toEqual([4, 5]);
    expect(bench.tracker.stats()).toMatchObject({ recovered: 6, dropped: { expired: 4 }, delivered: 2 });
    expect(released(journal)).toEqual(range(0, 6));
  });

  it('is never dropped if it is not known when it was accepted', async () => {
    const { bench, journal } = createBench();
    await journal.leave(textsOf([0, 1, 2]));
    bench.answer(() => failed(false));
    await bench.pass(100 * MAX_AGE_MS);
    expect(bench.tracker.stats().pending).toBe(3);
    bench.answer(() => 200);
    await bench.pass(10 * MAX_AGE_MS);
    expect(sorted(bench.taken)).toEqual([0, 1, 2]);
    expect(bench.drops).toEqual([]);
  });

  it('waits for as long as storage cannot be read, and is dropped within a second after that', async () => {
    const { bench, journal } = createBench();
    journal.failReads = true;
    await journal.leave(textsOf([0]), [bench.clock.now() - 1]);
    await bench.pass(MAX_AGE_MS + LOOK_MS);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, stored: 1, dropped: { expired: 0 } });
    journal.failReads = false;
    await bench.pass(SECOND);
    expect(bench.drops).toEqual([{ reason: 'expired', count: 1 }]);
    expect(bench.requests).toBe(0);
    expect(bench.tracker.stats().pending).toBe(0);
  });

  it('is not looked at again for a second if storage cannot be read, whatever else is sent', async () => {
    const { bench, journal } = createBench({ batch: { maxWaitMs: 1 } });
    journal.failReads = true;
    await journal.leave(textsOf([1_000]), [bench.clock.now()]);
    await bench.pass(1);
    for (let count = 0; count < 20; count += 1) await bench.track(1);
    expect(bench.taken).toEqual(range(0, 20));
    expect(bench.storageFailures).toHaveLength(1);
    expect(journal.calls.filter((call) => call === 'read')).toHaveLength(1);
  });
});

describe('a tracker with a greatest age of events', () => {
  it('ends flush() once all that it waits for is delivered or too old', async () => {
    const { bench, journal } = createBench({ maxEvents: 1 });
    bench.answer((numbers, request) => (numbers.includes(0) ? hang(request) : 200));
    await bench.track(1);
    await journal.leave(textsOf([100]), [bench.clock.now()]);
    bench.trackNow(2);
    const flush = watch(bench.tracker.flush({ timeoutMs: HOUR }));
    await bench.pass(MAX_AGE_MS + LOOK_MS);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, dropped: { expired: 3 } });
    expect(flush.isOver).toBe(false);
    await bench.pass(HOUR);
    expect(flush.value).toMatchObject({ dropped: 4, pending: 0 });
  });

  it('looks for them with one timer, and with none if nothing waits', async () => {
    const { bench } = createBench({ batch: { maxWaitMs: 100 * HOUR } });
    await bench.quiet();
    expect(bench.clock.timers).toBe(0);
    const idle = createBench({ storage: {}, batch: { maxWaitMs: 100 * HOUR } }).bench;
    await idle.track(1);
    const { timers } = idle.clock;
    for (let count = 0; count < 5; count += 1) await bench.track(1);
    expect(bench.clock.timers).toBe(timers + 1);
    await bench.pass(MAX_AGE_MS + 2 * LOOK_MS);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, dropped: { expired: 5 } });
    await bench.pass(LOOK_MS);
    expect(bench.clock.timers).toBe(timers);
  });

  it('drops nothing if there is no such bound', async () => {
    const { bench } = createBench({ storage: {}, batch: { maxWaitMs: 100 * HOUR } });
    await bench.track(1);
    await bench.pass(50 * HOUR);
    await flushNow(bench);
    expect(bench.taken).toEqual([0]);
  });
});
