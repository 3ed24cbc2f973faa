import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, type BenchOptions, range, sorted, watch } from '../../bench/bench.ts';
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
  it('resolves at once if no event waits, and sets no timer', async () => {
    const bench = new Bench();
    const flush = watch(bench.tracker.flush(LONG));
    await bench.quiet();
    expect(flush.value).toEqual({ delivered: 0, deadLettered: 0, dropped: 0, pending: 0 });
    expect(bench.clock.timers).toBe(0);
  });

  it('waits for the last event that was tracked before', async () => {
    const bench = new AnsweredBench();
    await bench.track(3);
    const flush = watch(bench.tracker.flush(LONG));
    await bench.finish(2);
    await bench.finish(0);
    expect(flush.isOver).toBe(false);
    await bench.finish(1);
    expect(flush.value).toEqual({ delivered: 3, deadLettered: 0, dropped: 0, pending: 0 });
  });

  it('waits for events that are in a request already, and for those that are not even written', async () => {
    const bench = new AnsweredBench({ batch: { maxWaitMs: 1_000 }, maxEvents: 2 });
    await bench.track(3);
    expect(bench.waiting).toEqual([0]);
    const flush = watch(bench.tracker.flush(LONG));
    await bench.quiet();
    expect(bench.waiting).toEqual([0, 2]);
    await bench.finish(0);
    expect(flush.isOver).toBe(false);
    await bench.finish(2);
    expect(flush.value).toMatchObject({ delivered: 3, pending: 0 });
  });

  it('does not wait for events that are tracked later', async () => {
    const bench = new AnsweredBench();
    await bench.track(1);
    const flush = watch(bench.tracker.flush(LONG));
    await bench.quiet();
    await bench.track(1);
    expect(bench.waiting).toEqual([0, 1]);
    await bench.finish(0);
    expect(flush.value).toMatchObject({ delivered: 1, pending: 1 });
  });

  it('waits for earlier events also if later ones are delivered first', async () => {
    const bench = new AnsweredBench();
    await bench.track(1);
    const early = watch(bench.tracker.flush(LONG));
    await bench.track(1);
    const late = watch(bench.tracker.flush(LONG));
    await bench.finish(1);
    expect([early.isOver, late.isOver]).toEqual([false, false]);
    await bench.finish(0);
    expect([early.isOver, late.isOver]).toEqual([true, true]);
  });

  it('may be called many times while the same events wait', async () => {
    const bench = new AnsweredBench();
    await bench.track(1);
    const flushes = range(0, 3).map(() => watch(bench.tracker.flush(LONG)));
    await bench.quiet();
    expect(flushes.map(({ isOver }) => isOver)).toEqual([false, false, false]);
    await bench.finish(0);
    expect(flushes.map(({ isOver }) => isOver)).toEqual([true, true, true]);
  });

  it('waits for new events also if all before them were delivered', async () => {
    const bench = new AnsweredBench();
    await bench.track(1);
    await bench.finish(0);
    await bench.track(1);
    const flush = watch(bench.tracker.flush(LONG));
    await bench.quiet();
    expect(flush.isOver).toBe(false);
    await bench.finish(1);
    expect(flush.isOver).toBe(true);
  });
});
