import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, range, textsOf, watch } from '../../bench/bench.ts';
import { toEventBytes } from '../../bench/event-texts.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered } from '../../bench/scripted-transport.ts';

const HOUR = 60 * 60_000;

/** Events 0 to 3 are written, and wait because no batch is due. */
async function createBench(journal: FakeJournal, options: BenchOptions = {}): Promise<Bench> {
  const bench = new Bench({ journal, batch: { maxWaitMs: HOUR }, ...options });
  bench.trackNow(4);
  await bench.tracker.durable();
  return bench;
}

describe('a tracker, if its journal reports', () => {
  it('that others settled events, counts them and does not send them', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    journal.observer?.settled?.({ segment: 1, from: 0, to: 1 }, 'delivered');
    journal.observer?.settled?.({ segment: 1, from: 2, to: 3 }, 'deadLettered');
    bench.check();
    expect(bench.tracker.stats()).toMatchObject({ delivered: 1, deadLettered: 1, pending: 2 });
    await bench.tracker.flush();
    expect(bench.taken).toEqual([1, 3]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, deadLettered: 1, pending: 0 });
  });

  it('that others settled the last events, does not send them and ends flush()', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal, { batch: { maxEvents: 1, maxWaitMs: HOUR } });
    let answer = (): void => {};
    bench.answer(() => new Promise((resolve) => (answer = () => resolve(answered(200)))));
    const flushed = watch(bench.tracker.flush());
    await bench.quiet();
    journal.observer?.settled?.({ segment: 1, from: 2, to: 4 }, 'delivered');
    await bench.quiet();
    expect(flushed.isOver).toBe(false);
    bench.answer(() => 200);
    answer();
    await bench.quiet();
    expect(flushed.value).toMatchObject({ delivered: 4, pending: 0 });
    expect(bench.taken).toEqual([0, 1]);
  });

  it('that others settled events of which it does not know, counts none', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    journal.observer?.settled?.({ segment: 9, from: 0, to: 4 }, 'delivered');
    journal.observer?.settled?.({ segment: 1, from: 4, to: 8 }, 'delivered');
    bench.check();
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, pending: 4 });
  });

  it('events of another process while it is open, and sends them', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    const place = await journal.append(toEventBytes(textsOf([17, 18])));
    journal.observer?.recovered(place);
    await bench.quiet();
    expect(bench.taken).toEqual([17, 18]);
    expect(bench.tracker.stats()).toMatchObject({
      recovered: 2,
      delivered: 2,
      pending: 4,
    });
    expect(journal.acknowledged).toMatchObject([place]);
  });

  it('a range without events, makes no request for it', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    journal.observer?.recovered({ segment: 1, from: 4, to: 4 });
    await bench.pass(1);
    expect(bench.requests).toBe(0);
    await bench.tracker.flush();
    expect(bench.taken).toEqual(range(0, 4));
  });

  it('damage or a failure, emits it and goes on', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    const damages: unknown[] = [];
    bench.tracker.on('damaged', (damage) => damages.push(damage));
    journal.observer?.damaged('a place', 17);
    journal.observer?.failed(new Error('no note was written'));
    expect(damages).toEqual([{ place: 'a place', bytes: 17 }]);
    expect(bench.storageFailures).toMatchObject([{ message: 'storage failed: no note was written' }]);
    expect(bench.tracker.stats().journal).toBe('fake');
    await bench.tracker.flush();
    expect(bench.taken).toEqual(range(0, 4));
  });
});
