import { describe, expect, it } from 'vitest';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('a service of which one request in five fails', () => {
  /** After `mend()`, no request fails. */
  function failSome(bench: Bench): { mend(): void } {
    let isMended = false;
    bench.answer(() => (!isMended && bench.requests % 5 === 0 ? 500 : 200));
    return {
      mend: () => {
        isMended = true;
      },
    };
  }

  async function trackFor(bench: Bench, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      bench.trackNow(10);
      await bench.pass(SECOND, 100);
    }
  }

  it('loses no event that waits for its retry while the journal fails', async () => {
    const journal = new FakeJournal();
    journal.failAppends = true;
    const bench = new Bench({
      ...{ journal, maxEvents: 1 },
      delivery: { maxConcurrency: 2 },
    });
    const service = failSome(bench);
    await trackFor(bench, 100);
    const { delivered, pending, stored, unwritten } = bench.tracker.stats();
    expect([delivered + pending, stored, unwritten]).toEqual([1_000, 0, pending]);
    service.mend();
    await bench.pass(5 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 1_000));
  });
});
