import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../../testing/full.ts';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, type BenchOptions, numbersOf, sorted, textsOf, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';

const LONG = { timeoutMs: 60 * 60_000 };

/** A tracker of which each event is a request of its own. Each is answered when the test says so. */
class AnsweredBench extends Bench {
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();

  constructor(options: BenchOptions = {}) {
    super({ maxEvents: 1, delivery: { maxConcurrency: 200, timeoutMs: 2 ** 31 - 1 }, ...options });
    this.answer(([number = 0]) => new Promise<Outcome>((resolve) => void this.#waiting.set(number, resolve)));
  }

  /** The numbers of the events whose requests wait for an answer. */
  get waiting(): number[] {
    return sorted(this.#waiting.keys());
  }

  async finish(number: number, outcome: Outcome = answered(200)): Promise<void> {
    this.#waiting.get(number)?.(outcome);
    this.#waiting.delete(number);
    await this.quiet();
  }
}

describe('flush()', () => {
  it('resolves at once if an earlier process left a range without events', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal });
    await bench.quiet();
    journal.observer?.recovered({ segment: 1, from: 3, to: 3 });
    const flush = watch(bench.tracker.flush(LONG));
    await bench.quiet();
    expect(flush.isOver).toBe(true);
    expect(bench.tracker.stats().recovered).toBe(0);
  });

  it('waits for the events of an earlier process', async () => {
    const journal = new FakeJournal();
    await journal.leave(textsOf([7]));
    const bench = new AnsweredBench({ journal });
    const flush = watch(bench.tracker.flush(LONG));
    await bench.quiet();
    expect(flush.isOver).toBe(false);
    await bench.finish(7);
    expect(flush.value).toMatchObject({ delivered: 1, pending: 0 });
  });

  it('does not wait any longer for events that were refused, or that another process has sent', async () => {
    const journal = new FakeJournal();
    journal.hangReads();
    const bench = new AnsweredBench({ journal, delivery: { policy: { '413': 'drop' } } });
    await bench.track(1);
    const left = await journal.leave(textsOf([100]));
    const flush = watch(bench.tracker.flush(LONG));
    await bench.finish(0, answered(413));
    expect(flush.isOver).toBe(false);
    journal.observer?.settled?.(left, 'delivered');
    await bench.quiet();
    expect(flush.value).toMatchObject({ delivered: 1, dropped: 1, pending: 0 });
  });

  it('resolves with the last event before it, whatever the order in which events end', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('track' as const), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('leave' as const), count: fc.constant(1) }),
      fc.record({ kind: fc.constant('finish' as const), count: fc.nat() }),
      fc.record({ kind: fc.constant('flush' as const), count: fc.nat() }),
    );
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const journal = new FakeJournal();
      const bench = new AnsweredBench({ journal });
      const flushes: { readonly seen: { readonly isOver: boolean }; readonly before: readonly number[] }[] =
        [];
      let left = 1_000;
      for (const { kind, count } of steps) {
        const { waiting } = bench;
        if (kind === 'track') await bench.track(count);
        else if (kind === 'leave') await journal.leave(textsOf([left++]));
        else if (kind === 'finish') await bench.finish(waiting[count % Math.max(1, waiting.length)] ?? -1);
        else flushes.push({ seen: watch(bench.tracker.flush(LONG)), before: waiting });
        await bench.pass(1);
        for (const { seen, before } of flushes)
          expect(seen.isOver).toBe(!before.some((number) => bench.waiting.includes(number)));
      }
      expect(new Set(bench.transport.requests.flatMap(numbersOf)).size).toBe(bench.requests);
    });
    await fc.assert(property, { numRuns: cases(50) });
  });
});
