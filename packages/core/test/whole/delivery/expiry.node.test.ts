import { describe, expect, it } from 'vitest';
import { Bench, textsOf } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { failed, hang } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('an event that is older than it may be', () => {
  it('is dropped, though its batch waits for a retry', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, storage: { maxAgeMs: 5 * MINUTE } });
    bench.answer(() => failed(false));
    await bench.track(3);
    await bench.pass(5 * MINUTE - 1);
    expect(bench.drops).toEqual([]);
    expect(bench.tracker.stats().inFlight).toBe(3);
    await bench.pass(2 * MINUTE);
    expect(bench.tracker.stats().dropped.expired).toBe(3);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, inFlight: 0 });
    expect(journal.acknowledged.reduce((count, { from, to }) => count + to - from, 0)).toBe(3);
    const { requests } = bench;
    await bench.pass(HOUR);
    expect(bench.requests).toBe(requests);
  });

  it('is dropped while a request with other events hangs; those of unknown age are kept', async () => {
    const journal = new FakeJournal();
    await journal.leave(textsOf([100, 101, 102]));
    const bench = new Bench({ journal, maxEvents: 2, storage: { maxAgeMs: 10 * SECOND } });
    bench.answer((_, request) => hang(request));
    await bench.track(6);
    await bench.pass(10 * SECOND + 500);
    expect(bench.tracker.stats()).toMatchObject({ dropped: { expired: 6 }, inFlight: 2, stored: 1 });
    expect(bench.requests).toBe(1);
  });

  it('counts as dropped where the journal cannot note it, and the failure is reported', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, storage: { maxAgeMs: MINUTE } });
    bench.answer(() => failed(false));
    await bench.track(2);
    journal.failAcknowledgements = true;
    await bench.pass(3 * MINUTE);
    expect(bench.tracker.stats().dropped.expired).toBe(2);
    expect(bench.storageFailures.length).toBeGreaterThan(0);
    expect(bench.tracker.stats().pending).toBe(0);
  });
});
