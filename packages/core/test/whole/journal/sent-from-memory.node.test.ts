import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../../src/base/event-bytes.ts';
import type { Range } from '../../../src/base/range.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, type BenchOptions, groupsOf, range, sorted, textNumbers, watch } from '../../bench/bench.ts';
import { FakeJournal, share } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

function createBench(journal: FakeJournal, { delivery, ...options }: BenchOptions = {}): Bench {
  // The longest waits: the journal is tried again after one second.
  return new Bench({ journal, random: () => 1, delivery: { timeoutMs: HOUR, ...delivery }, ...options });
}

/** The service answers no request before the test does. Returns the function that answers the oldest one. */
function holdAnswers(bench: Bench): (status: number) => Promise<void> {
  const waiting: ((outcome: Outcome) => void)[] = [];
  bench.answer(() => new Promise((resolve) => waiting.push(resolve)));
  return async (status) => {
    waiting.shift()?.(answered(status));
    await bench.quiet();
  };
}

describe('events that are sent from memory, because the journal fails,', () => {
  it('are written once it works, and are released there once the service took them', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const answer = holdAnswers(bench);
    journal.failAppends = true;
    await bench.track(2);
    expect(bench.requests).toBe(1);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 2, unwritten: 2 });
    journal.failAppends = false;
    await bench.pass(SECOND);
    expect(groupsOf(journal)).toEqual([[0, 1]]);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 2, unwritten: 0, journal: 'fake' });
    await answer(200);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 2 }]);
  });

  it('are written after events that were not sent yet', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    holdAnswers(bench);
    journal.failAppends = true;
    await bench.track(2);
    await bench.track(1);
    journal.failAppends = false;
    await bench.pass(SECOND);
    expect(groupsOf(journal)).toEqual([[2], [0, 1]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 0 });
  });

  it('are written once, however often it fails', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    holdAnswers(bench);
    for (const number of [0, 1]) {
      journal.failAppends = true;
      await bench.track(1);
      journal.failAppends = false;
      await bench.pass(SECOND);
      expect(textNumbers(journal.texts)).toEqual(range(0, number + 1));
    }
  });

  it('are not written any more once the service took them', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    journal.failAppends = true;
    await bench.track(2);
    expect(bench.taken).toEqual([0, 1]);
    journal.failAppends = false;
    await bench.pass(SECOND);
    await bench.track(1);
    expect(groupsOf(journal)).toEqual([[2]]);
  });

  it('are written as well where flush() did not wait for the journal', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: { maxEvents: 1 } });
    const answer = holdAnswers(bench);
    journal.failAppends = true;
    bench.trackNow(3);
    const flushed = watch(bench.tracker.flush({ timeoutMs: HOUR }));
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 1, unwritten: 3 });
    journal.failAppends = false;
    await bench.pass(2 * SECOND);
    expect(sorted(textNumbers(journal.texts))).toEqual([0, 1, 2]);
    await bench.tracker.durable();
    for (let count = 0; count < 3; count += 1) await answer(200);
    expect(flushed.value).toMatchObject({ delivered: 3, pending: 0 });
    expect(bench.taken).toEqual([0, 1, 2]);
    expect(journal.bytes).toBe(0);
  });

  it('are released if the service took them while they were written', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal, { batch: { maxEvents: 1 }, delivery: { maxConcurrency: 2 } });
    const answer = holdAnswers(bench);
    journal.failAppends = true;
    await bench.track(2);
    journal.failAppends = false;
    const release = journal.hangAppends();
    await bench.pass(SECOND);
    await answer(200);
    release();
    await bench.quiet();
    expect(groupsOf(journal)).toEqual([[0], [1]]);
    expect(journal.acknowledged).toMatchObject([{ segment: 1, from: 0, to: 1 }]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, pending: 1, unwritten: 0 });
  });

  it('are written again if their batch was cut while it was written', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const answer = holdAnswers(bench);
    journal.failAppends = true;
    await bench.track(2);
    journal.failAppends = false;
    const release = journal.hangAppends();
    await bench.pass(SECOND);
    await answer(413);
    release();
    await bench.quiet();
    expect(groupsOf(journal)).toEqual([[0, 1], [0], [1]]);
    expect(journal.acknowledged).toMatchObject([{ from: 0, to: 2 }]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 0 });
    await answer(200);
    await answer(200);
    expect(bench.taken).toEqual([0, 1]);
    expect(journal.bytes).toBe(0);
  });

  it('are written later if it fails again before all of them are written', async () => {
    class FailingJournal extends FakeJournal {
      /** How many of the next appends succeed. */
      left = 0;

      override async append(events: EventBytes): Promise<Range> {
        this.failAppends = this.left <= 0;
        this.left -= 1;
        return super.append(events);
      }
    }
    const journal = new FailingJournal();
    const bench = createBench(journal, { batch: { maxEvents: 1 }, delivery: { maxConcurrency: 3 } });
    holdAnswers(bench);
    await bench.track(3);
    expect(bench.requests).toBe(3);
    journal.left = 1;
    await bench.pass(SECOND);
    expect(groupsOf(journal)).toEqual([[0]]);
    expect(bench.tracker.stats()).toMatchObject({ unwritten: 2, journal: 'memory' });
    journal.left = 10;
    await bench.pass(SECOND);
    expect(groupsOf(journal)).toEqual([[0], [1], [2]]);
    expect(bench.tracker.stats()).toMatchObject({ unwritten: 0, journal: 'fake' });
  });

  it('stay as they are until they are written, though later batches reuse memory', async () => {
    const journal = new FakeJournal();
    const bench: Bench = createBench(journal, {
      batch: { maxEvents: 1 },
      transport: {
        releasesBody: true,
        post: (request) => bench.transport.post(request),
        close: async () => {},
      },
    });
    const answer = holdAnswers(bench);
    journal.failAppends = true;
    bench.trackNow(2);
    void bench.tracker.flush({ timeoutMs: HOUR });
    await bench.quiet();
    journal.failAppends = false;
    const release = journal.hangAppends();
    await bench.pass(2 * SECOND);
    await answer(200);
    await answer(200);
    expect(bench.taken).toEqual([0, 1]);
    await bench.track(1);
    release();
    await bench.quiet();
    expect(groupsOf(journal)[0]).toEqual([1]);
  });

  it('are left to other processes that share the journal, once they wait in it', async () => {
    const journal = new FakeJournal();
    const leaveToOthers = share(journal);
    const bench = createBench(journal);
    bench.answer(() => 503);
    journal.failAppends = true;
    await bench.track(2);
    expect(bench.requests).toBe(1);
    leaveToOthers(true);
    await bench.pass(SECOND);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 2, stored: 0 });
    journal.failAppends = false;
    await bench.pass(5 * SECOND);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, unwritten: 0, stored: 2 });
    journal.observer?.settled?.({ segment: 1, from: 0, to: 2 }, 'delivered');
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
  });

  it('are dropped by close(), and those that the journal has are not', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    holdAnswers(bench);
    await bench.track(2);
    journal.failAppends = true;
    await bench.track(1);
    const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
    await bench.pass(10 * SECOND);
    expect(closed.value).toMatchObject({ dropped: 1, pending: 2 });
    expect(bench.drops).toEqual([{ reason: 'closed', count: 1 }]);
  });
});

describe('two calls of flush(), while the journal fails and then works,', () => {
  it('count and send each event once', async () => {
    class StalledJournal extends FakeJournal {
      stall: Promise<void> | undefined;

      async space(): Promise<{ freeBytes: number; totalBytes: number }> {
        await this.stall;
        return { freeBytes: 900_000_000, totalBytes: 1_000_000_000 };
      }
    }
    const journal = new StalledJournal();
    const bench = createBench(journal);
    const release = journal.hangAppends();
    bench.trackNow(2);
    const first = watch(bench.tracker.flush({ timeoutMs: HOUR }));
    await bench.quiet();
    const second = watch(bench.tracker.flush({ timeoutMs: HOUR }));
    await bench.pass(SECOND);
    let resume = (): void => {};
    journal.stall = new Promise((resolve) => {
      resume = resolve;
    });
    journal.failAppendsLeft = 1;
    release();
    await bench.quiet();
    resume();
    await bench.quiet();
    expect(first.value).toMatchObject({ delivered: 2, pending: 0 });
    expect(second.value).toMatchObject({ delivered: 2, pending: 0 });
    expect(bench.taken).toEqual([0, 1]);
    expect(bench.tracker.stats()).toMatchObject({ accepted: 2, pending: 0, unwritten: 0 });
  });
});
