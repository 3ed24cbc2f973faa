import { describe, expect, it } from 'vitest';
import { Bench, range, sorted, textNumbers, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { hang } from '../../bench/scripted-transport.ts';

const MINUTE = 60_000;

describe('the journal', () => {
  it('keeps events until the service has accepted them', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal });
    bench.answer((_, request) => hang(request));
    await bench.track(3);
    expect(journal.acknowledged).toEqual([]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, inFlight: 3 });
  });

  it('is told nothing of events that it does not hold', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = new Bench({ journal });
    await bench.track(3);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, pending: 0, journal: 'memory' });
    await bench.pass(MINUTE);
    expect(journal.calls).not.toContain('acknowledge');
  });

  it('gets each event of a batch once after it failed, where the batch was cut meanwhile', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = new Bench({ journal });
    bench.answer((numbers, request) => (numbers.length > 1 ? 413 : hang(request)));
    await bench.track(4);
    expect(bench.tracker.stats()).toMatchObject({ pending: 4, unwritten: 4 });
    journal.failAppends = false;
    await bench.pass(20_000);
    expect(sorted(textNumbers(journal.texts))).toEqual(range(0, 4));
    expect(bench.tracker.stats()).toMatchObject({ pending: 4, unwritten: 0 });
  });

  it('must note what was accepted before more requests are made than are allowed at the same time', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, maxEvents: 1, delivery: { maxConcurrency: 2 } });
    const release = journal.hangAcknowledgements();
    await bench.track(9);
    // If the process is killed now, the next one sends these events again, and no others.
    expect(bench.requests).toBe(2);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, inFlight: 2 });
    const flushed = watch(bench.tracker.flush());
    await bench.pass(10);
    expect([flushed.isOver, bench.requests]).toEqual([false, 2]);
    release();
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ delivered: 9, inFlight: 0 });
    expect(flushed.value).toMatchObject({ delivered: 9, pending: 0 });
  });

  it('must note what was accepted before the next request is made, where order is strict', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, ordering: 'strict', maxEvents: 1 });
    const release = journal.hangAcknowledgements();
    await bench.track(3);
    expect(bench.requests).toBe(1);
    release();
    await bench.pass(10);
    expect(bench.taken).toEqual([0, 1, 2]);
  });

  it('may fail to note what was accepted: the events count as delivered, and are not sent again', async () => {
    const journal = new FakeJournal();
    journal.failAcknowledgements = true;
    const bench = new Bench({ journal });
    await bench.track(2);
    expect(bench.storageFailures).toHaveLength(1);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
    await bench.pass(2 * MINUTE);
    expect(bench.requests).toBe(1);
  });
});
