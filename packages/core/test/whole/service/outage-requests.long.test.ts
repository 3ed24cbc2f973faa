import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../../testing/full.ts';
import { Bench, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Events that were tracked at the start of the outage. */
const FIRST = 10;

const JOURNALS: readonly (readonly [string, () => 'memory' | FakeJournal])[] = [
  ['memory', () => 'memory'],
  ['a journal', () => new FakeJournal()],
];

/** A tracker with the default limits, whose service has been away for some time. */
async function createBench(journal: 'memory' | FakeJournal): Promise<Bench> {
  const bench = new Bench({ journal, batch: { maxWaitMs: SECOND }, delivery: { maxConcurrency: 4 } });
  bench.answer(() => failed(false));
  bench.trackNow(FIRST);
  await bench.pass(MINUTE);
  expect(bench.tracker.stats()).toMatchObject({ pending: FIRST });
  expect(bench.tracker.stats().breaker).not.toBe('closed');
  return bench;
}

/** The service is back. Returns the number of requests until it has all events. */
async function drain(bench: Bench): Promise<number> {
  const before = bench.requests;
  const { accepted } = bench.tracker.stats();
  bench.answer(() => 200);
  await bench.pass(10 * MINUTE);
  expect(bench.tracker.stats()).toMatchObject({ delivered: accepted, pending: 0 });
  return bench.requests - before;
}

describe('after an outage, the number of requests is about the same', () => {
  it.each(JOURNALS)('whether or not somebody flushed after each event, with %s', async (_, create) => {
    const count = isFull ? 2_000 : 700;
    const plain = await createBench(create());
    plain.trackNow(count);
    await plain.pass(count);
    const flushed = await createBench(create());
    for (let number = 0; number < count; number += 1) {
      flushed.trackNow(1);
      const flush = watch(flushed.tracker.flush({ timeoutMs: 1 }));
      await flushed.clock.advance(1);
      expect(flush.isOver).toBe(true);
    }
    expect(await drain(flushed)).toBeLessThanOrEqual(1.2 * (await drain(plain)));
  });

  it.each(JOURNALS)('whether or not each 20th event has high priority, with %s', async (_, create) => {
    const requests: number[] = [];
    for (const options of [{}, { priority: 'high' }] as const) {
      const bench = await createBench(create());
      for (let round = 0; round < 600; round += 1) {
        bench.trackNow(19);
        bench.trackNow(1, options);
        await bench.clock.advance(1);
      }
      requests.push(await drain(bench));
    }
    const [plain = 0, mixed = 0] = requests;
    expect(mixed).toBeLessThanOrEqual(1.2 * plain);
  });
});
