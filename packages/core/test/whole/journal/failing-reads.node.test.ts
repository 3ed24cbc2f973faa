import { expect, it } from 'vitest';
import { Bench, range, textsOf } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

it('a journal that cannot read is read once a second, however many other events are sent', async () => {
  const journal = new FakeJournal();
  journal.failReads = true;
  await journal.leave(textsOf(range(100, 105)));
  const bench = new Bench({ journal });
  const reads = () => journal.calls.filter((call) => call === 'read').length;
  for (let count = 0; count < 100; count += 1) await bench.track(1);
  expect(bench.taken).toEqual(range(0, 100));
  expect(reads()).toBe(1);
  expect(bench.clock.timers).toBe(1);
  await bench.pass(10_000);
  expect(reads()).toBe(11);
  expect(bench.clock.timers).toBe(1);
});
