import { describe, expect, it } from 'vitest';
import { Bench, type BenchOptions, sorted, textNumbers } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const REFUSED = 'events stay where they are: the journal fails or is full';

/** A tracker with two dead letters, the events 0 and 1, while 2 was accepted. The service accepts all later events, but no batch is due. */
async function createBench(journal: FakeJournal, options: BenchOptions = {}): Promise<Bench> {
  // The longest waits: a journal that failed is tried again after one second.
  const bench = new Bench({ journal, random: () => 1, batch: { maxWaitMs: HOUR }, ...options });
  bench.refuse((n) => n < 2);
  bench.trackNow(3);
  const flushed = bench.tracker.flush();
  await bench.pass(30 * SECOND, 100);
  await flushed;
  bench.taken.splice(0);
  bench.answer(() => 200);
  expect(sorted(await bench.kept())).toEqual([0, 1]);
  return bench;
}

describe('dead letters that are replayed', () => {
  it('are written to the journal together, and then sent', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    const replayed: number[] = [];
    bench.tracker.on('replayed', ({ count }) => {
      replayed.push(count);
      expect(sorted(textNumbers(journal.groups.at(-1) ?? []))).toEqual([0, 1]);
      expect(journal.calls.at(-1)).toBe('sync');
    });
    expect(await bench.tracker.deadLetters.replay()).toBe(2);
    await bench.quiet();
    expect(replayed).toEqual([2]);
    expect(sorted(bench.taken)).toEqual([0, 1]);
    expect(bench.tracker.stats()).toMatchObject({ recovered: 2, delivered: 3, pending: 0 });
    expect(journal.bytes).toBe(0);
  });

  it('count once at every moment, and so do held events that find their customer', async () => {
    const bench = await createBench(new FakeJournal(), { unidentified: { hold: true } });
    let isOver = false;
    const replayed = bench.tracker.deadLetters.replay().then(() => {
      isOver = true;
    });
    for (; !isOver; await undefined) bench.check();
    await replayed;
    bench.tracker.track('seen', { n: 3 });
    await bench.pass(100);
    expect(bench.tracker.stats().held).toBe(1);
    bench.tracker.identify('ada@example.com');
    for (let turn = 0; turn < 200; turn += 1, await undefined) bench.check();
    expect(bench.tracker.stats()).toMatchObject({ accepted: 4, recovered: 2, held: 0 });
  });

  it('stay where they are while the journal fails, which is said', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    journal.failAppends = true;
    await expect(bench.tracker.deadLetters.replay()).rejects.toThrow(REFUSED);
    expect(sorted(await bench.kept())).toEqual([0, 1]);
    expect(bench.tracker.stats()).toMatchObject({ recovered: 0, pending: 0, journal: 'memory' });
    expect(bench.storageFailures).toHaveLength(1);
  });

  it('stay where they are while the journal is full', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal, { storage: { maxBytes: 64 * 1024 } });
    bench.trackNow(1, { bytes: 65_000 });
    await bench.tracker.durable();
    await expect(bench.tracker.deadLetters.replay()).rejects.toThrow(REFUSED);
    expect(sorted(await bench.kept())).toEqual([0, 1]);
    expect(bench.tracker.stats()).toMatchObject({ recovered: 0, pending: 1, journal: 'fake' });
  });

  it('stay where they are, and the journal releases them, if it does not sync', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    const released = journal.acknowledged.length;
    journal.failSyncs = true;
    await expect(bench.tracker.deadLetters.replay()).rejects.toThrow(
      'events stay where they are: the scripted failure of sync',
    );
    expect(journal.acknowledged.slice(released)).toEqual([{ segment: 1, from: 3, to: 5 }]);
    expect(sorted(await bench.kept())).toEqual([0, 1]);
    await bench.pass(SECOND);
    expect(bench.taken).toEqual([]);
    expect(bench.tracker.stats()).toMatchObject({ recovered: 0, pending: 0 });
  });

  it('are tried at once with a journal that failed, which then works again', async () => {
    const journal = new FakeJournal();
    const bench = await createBench(journal);
    const kinds: string[] = [];
    bench.tracker.on('storageChanged', ({ kind }) => kinds.push(kind));
    journal.failAppends = true;
    bench.trackNow(1);
    await bench.pass(1);
    await expect(bench.tracker.deadLetters.replay()).rejects.toThrow(REFUSED);
    expect(bench.storageFailures).toHaveLength(2);
    journal.failAppends = false;
    expect(await bench.tracker.deadLetters.replay()).toBe(2);
    await bench.quiet();
    expect(kinds).toEqual(['memory', 'fake']);
    // The event that came while the journal failed is written too, before the journal's time has come.
    expect(journal.groups.slice(-2).map((group) => sorted(textNumbers(group)))).toEqual([[0, 1], [3]]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 1, unwritten: 0 });
  });
});

describe('events whose user is known now', () => {
  it('stay where they are held while the journal fails, and are sent once it works', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, unidentified: { hold: true } });
    bench.tracker.track('event', { n: 0 });
    await bench.tracker.durable();
    journal.failAppends = true;
    bench.tracker.identify('ada@example.com');
    await bench.quiet();
    expect(bench.storageFailures.map(String)).toEqual([
      expect.stringContaining('the scripted failure of append'),
      expect.stringContaining(REFUSED),
    ]);
    expect(bench.tracker.stats()).toMatchObject({ held: 1, pending: 1, delivered: 0 });
    journal.failAppends = false;
    await bench.pass(30 * SECOND, SECOND);
    expect(bench.taken).toEqual([0]);
    expect(bench.tracker.stats()).toMatchObject({ held: 0, pending: 0 });
  });
});
