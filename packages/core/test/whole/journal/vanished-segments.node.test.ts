import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../../src/base/event-bytes.ts';
import type { Range } from '../../../src/base/range.ts';
import type { Journal } from '../../../src/keep/journal.ts';
import { Bench, type BenchOptions, range, sorted, textNumbers } from '../../bench/bench.ts';
import { createGate, FakeJournal, share } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';
import { SegmentedJournal } from '../../bench/segmented-journal.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

/** Its appends and acknowledgements wait for promises of the test. */
class SlowJournal extends SegmentedJournal {
  appends: Promise<void> | undefined;
  acknowledgements: Promise<void> | undefined;

  override async append(events: EventBytes): Promise<Range> {
    await this.appends;
    return super.append(events);
  }

  override async acknowledge(range: Range): Promise<void> {
    await this.acknowledgements;
    return super.acknowledge(range);
  }
}

/** Two events are sent at once. */
function createBench(journal: Journal, { batch, ...options }: BenchOptions = {}): Bench {
  // The longest waits: the journal is tried again after one second.
  return new Bench({
    ...{ journal, random: () => 1, batch: { maxEvents: 2, ...batch }, delivery: { timeoutMs: HOUR } },
    ...options,
  });
}

/** The service answers no request until the returned function is called. Then it answers all with success. */
function holdAnswers(bench: Bench): () => Promise<void> {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  bench.answer(() => opened.then(() => answered(200)));
  return async () => {
    open();
    await bench.pass(SECOND);
  };
}

/** Tracks events, and writes them as one group. */
async function write(bench: Bench, count: number): Promise<void> {
  bench.trackNow(count);
  await bench.tracker.durable();
  await bench.pass(1);
}

describe('a tracker whose journal loses a segment', () => {
  it('writes again what memory holds of it, in a request or waiting, and nothing else', async () => {
    const journal = new SegmentedJournal();
    const bench = createBench(journal);
    const answer = holdAnswers(bench);
    await write(bench, 4);
    await write(bench, 1);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 2, pending: 5 });
    journal.vanish(1);
    await bench.quiet();
    expect(sorted(textNumbers(journal.texts))).toEqual(range(0, 5));
    expect(bench.tracker.stats()).toMatchObject({ pending: 5, unwritten: 0, journal: 'segmented' });
    await answer();
    expect(bench.taken).toEqual(range(0, 5));
    expect(bench.drops).toEqual([]);
  });

  it('writes again what went back to it from a request, each event once', async () => {
    const journal = new SegmentedJournal();
    const leaveToOthers = share(journal);
    const bench = createBench(journal);
    bench.answer(() => 503);
    await write(bench, 3);
    await bench.pass(2 * SECOND);
    leaveToOthers(true);
    expect(bench.tracker.stats()).toMatchObject({ stored: 3, inFlight: 0 });
    // Written again, the events are in other segments.
    for (const segments of [[1], [2, 3]]) {
      for (const segment of segments) journal.vanish(segment);
      await bench.quiet();
      expect(sorted(textNumbers(journal.texts))).toEqual([0, 1, 2]);
      expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 0 });
    }
    bench.answer(() => 200);
    leaveToOthers(false);
    await bench.pass(10 * SECOND);
    expect(sorted(bench.taken)).toEqual([0, 1, 2]);
    expect(bench.drops).toEqual([]);
  });

  it('keeps it in memory while the journal fails, and writes it once that works', async () => {
    const journal = new SegmentedJournal();
    const bench = createBench(journal);
    const answer = holdAnswers(bench);
    await write(bench, 3);
    journal.failAppends = true;
    for (const segment of [1, 2]) journal.vanish(segment);
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ journal: 'memory', pending: 3, unwritten: 3, inFlight: 2 });
    journal.failAppends = false;
    await bench.pass(5 * SECOND);
    expect(sorted(textNumbers(journal.texts))).toEqual([0, 1, 2]);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'segmented', pending: 3, unwritten: 0 });
    await answer();
    expect(sorted(bench.taken)).toEqual([0, 1, 2]);
  });

  it('keeps also what went back to it in parts, and writes it again', async () => {
    const journal = new FakeJournal();
    const leaveToOthers = share(journal);
    const bench = createBench(journal, { batch: { maxEvents: 4 } });
    bench.answer((numbers) => (numbers.length > 2 ? 413 : 503));
    await write(bench, 4);
    await bench.pass(2 * SECOND);
    leaveToOthers(true);
    expect(bench.tracker.stats()).toMatchObject({ stored: 4, inFlight: 0 });
    journal.failAppends = true;
    journal.observer?.vanished?.({ segment: 1, from: 0, to: Number.POSITIVE_INFINITY });
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ journal: 'memory', stored: 0, unwritten: 4, pending: 4 });
    journal.failAppends = false;
    await bench.pass(SECOND);
    expect(sorted(textNumbers(journal.texts))).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(bench.tracker.stats()).toMatchObject({ journal: 'fake', stored: 4, unwritten: 0, pending: 4 });
  });

  it('waits for none of it that was delivered meanwhile', async () => {
    const journal = new SlowJournal();
    const bench = createBench(journal, { batch: { maxWaitMs: 10 } });
    const answer = holdAnswers(bench);
    for (let count = 0; count < 2; count += 1) {
      bench.trackNow(1);
      await bench.tracker.durable();
    }
    await bench.pass(10);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 2, unwritten: 0 });
    // One of the two events in the request is written again. The service has both before that ends, and before the other is released.
    const [appends, acknowledgements] = [createGate(), createGate()];
    journal.appends = appends.promise;
    journal.acknowledgements = acknowledgements.promise;
    journal.vanish(1);
    await bench.quiet();
    await answer();
    appends.open();
    await bench.quiet();
    bench.trackNow(1);
    await bench.tracker.durable();
    acknowledgements.open();
    expect(await bench.tracker.flush()).toMatchObject({ pending: 0 });
    expect(bench.taken).toEqual([0, 1, 2]);
  });

  it('sends it from memory while the journal fails', async () => {
    const journal = new SegmentedJournal();
    const bench = createBench(journal, { batch: { maxWaitMs: HOUR } });
    await write(bench, 1);
    journal.failAppends = true;
    journal.vanish(1);
    expect(await bench.tracker.flush()).toMatchObject({ delivered: 1, pending: 0 });
    expect(bench.taken).toEqual([0]);
  });

  it('drops what memory does not hold of it, and counts it as damaged', async () => {
    const journal = new FakeJournal();
    const bench = createBench(journal);
    const answer = holdAnswers(bench);
    await write(bench, 1);
    journal.observer?.recovered({ segment: 7, from: 0, to: 3 });
    journal.observer?.vanished?.({ segment: 7, from: 0, to: Number.POSITIVE_INFINITY });
    await bench.quiet();
    expect(bench.drops).toEqual([{ reason: 'damaged', count: 3 }]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, recovered: 3, dropped: { damaged: 3 } });
    await answer();
    expect(bench.taken).toEqual([0]);
  });
});
