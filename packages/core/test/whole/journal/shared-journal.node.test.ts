import { describe, expect, it } from 'vitest';
import { Bench, sorted } from '../../bench/bench.ts';
import { FakeJournal, share } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;

describe('a tracker whose events others may take over', () => {
  it('sends nothing while they may, and all once they may not', async () => {
    const journal = new FakeJournal();
    const leaveToOthers = share(journal);
    const bench = new Bench({ journal });
    leaveToOthers(true);
    await bench.track(2);
    await bench.pass(5 * SECOND);
    expect(bench.requests).toBe(0);
    leaveToOthers(false);
    await bench.pass(SECOND);
    expect(bench.taken).toEqual([0, 1]);
  });

  it('puts back what failed, before or after they could take it over, and sends nothing of it that they have', async () => {
    const journal = new FakeJournal();
    const leaveToOthers = share(journal);
    const bench = new Bench({ journal, batch: { maxEvents: 1, maxWaitMs: 0 } });
    let answer = (): void => {};
    bench.answer((numbers) =>
      numbers.includes(0)
        ? 500
        : new Promise((resolve) => {
            answer = () => resolve(answered(500));
          }),
    );
    await bench.track(1);
    await bench.track(1);
    await bench.pass(1);
    leaveToOthers(true);
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, inFlight: 1 });
    answer();
    await bench.quiet();
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, inFlight: 0 });
    const { requests } = bench;
    journal.observer?.settled?.({ segment: 1, from: 0, to: 2 }, 'delivered');
    leaveToOthers(false);
    bench.answer(() => 200);
    await bench.track(1);
    await bench.pass(5 * SECOND);
    expect(bench.requests).toBe(requests + 1);
    expect(sorted(bench.taken)).toEqual([2]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, delivered: 3 });
  });

  it('tells the journal of each request, and when it has ended', async () => {
    const journal = new FakeJournal();
    const told: string[] = [];
    const request = () => {
      told.push('started');
      return () => void told.push('ended');
    };
    journal.sharing = { maySend: true, listen: () => {}, request };
    const bench = new Bench({ journal });
    bench.answer(() => (told.length < 3 ? 500 : 200));
    await bench.track(1);
    await bench.pass(5 * SECOND);
    expect(told).toEqual(['started', 'ended', 'started', 'ended']);
  });
});
