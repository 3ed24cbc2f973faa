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

describe('a service that was away', () => {
  it('does not count as fickle because it refused events meanwhile, so the next bad one ends soon', async () => {
    const bench = new Bench({ maxEvents: 1, delivery: { maxConcurrency: 8 } });
    await bench.track(40);
    bench.answer(() => 403);
    await bench.track(20);
    await bench.pass(20 * MINUTE);
    bench.answer(() => 200);
    await bench.pass(20 * MINUTE);
    bench.refuse((n) => n === 70);
    await bench.track(50);
    await bench.pass(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 109, deadLettered: 1 });
  });
});

describe('events of one customer that were halved', () => {
  it('go on in their order where the first half is too large all the same', async () => {
    const bench = new Bench({ ordering: 'per-customer' });
    let refusals = 0;
    bench.answer((numbers) => {
      if (numbers.length === 8) return 400;
      if (numbers.length < 4 || refusals === 2) return 200;
      refusals += 1;
      return 413;
    });
    await bench.track(8);
    await bench.pass(MINUTE);
    expect(bench.taken).toEqual(range(0, 8));
  });
});
