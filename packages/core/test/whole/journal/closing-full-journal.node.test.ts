import { expect, it } from 'vitest';
import { Bench, range, textNumbers, watch } from '../../bench/bench.ts';
import { hang } from '../../bench/scripted-transport.ts';
import { SegmentedJournal } from '../../bench/segmented-journal.ts';

const SECOND = 1_000;
/** About thirty of these events fit into the journal. */
const LARGE = { bytes: 1_900 };
const STORAGE = { maxBytes: 64 * 1024, minFreeBytes: 0 };

/** It takes long to give up a segment. */
class SlowJournal extends SegmentedJournal {
  hangs: Promise<void> | undefined;
  fails = false;

  override async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    await this.hangs;
    if (this.fails) throw new Error('the disk failed');
    return super.evictOldest(rescue);
  }
}

it.each([
  ['gives up no older event for those that it gave up when close() ran out of time', false],
  ['tries nothing again that it gave up when close() ran out of time', true],
])('a full journal %s', async (_, fails) => {
  const journal = new SlowJournal();
  const bench = new Bench({ journal, storage: STORAGE, batch: { maxEvents: 10 } });
  // What the service took is still in the journal.
  bench.answer(([first], request) => (first === 0 ? 200 : hang(request)));
  for (let round = 0; round < 3; round += 1) {
    bench.trackNow(10, LARGE);
    await bench.pass(1);
  }
  expect(textNumbers(journal.texts)).toEqual(range(0, 30));
  let go = (): void => {};
  journal.hangs = new Promise((resolve) => {
    go = resolve;
  });
  bench.trackNow(40, LARGE);
  const closed = watch(bench.tracker.close({ timeoutMs: 0 }));
  await bench.pass(6 * SECOND, SECOND);
  expect(closed.value).toMatchObject({ dropped: 40, pending: 20 });
  journal.fails = fails;
  go();
  await bench.pass(1);
  // The segment was being given up then.
  expect(textNumbers(journal.texts)).toEqual(range(fails ? 0 : 10, 30));
  expect(bench.tracker.stats()).toMatchObject({ pending: 20, unwritten: 40 });
  expect(bench.tracker.stats().dropped).toMatchObject({ closed: 40, 'journal-full': 0 });
  expect(bench.storageFailures).toEqual([]);
  expect(bench.clock.timers).toBe(0);
});
