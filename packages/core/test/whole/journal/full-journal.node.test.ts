import { describe, expect, it } from 'vitest';
import type { EventBytes, Limit } from '../../../src/base/event-bytes.ts';
import type { Range } from '../../../src/base/range.ts';
import type { Reading } from '../../../src/keep/journal.ts';
import { Bench, type BenchOptions, range, sorted, watch } from '../../bench/bench.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';
import { SegmentedJournal } from '../../bench/segmented-journal.ts';

const HOUR = 60 * 60_000;
/** About five times ten of these events fit into the journal. */
const LARGE = { bytes: 1_000 };
const STORAGE = { maxBytes: 64 * 1024, minFreeBytes: 0 };

/** A journal that finds what it was asked for, but does not return it while it hangs. */
class SlowJournal extends SegmentedJournal {
  hangs: Promise<void> | undefined;
  reads = 0;

  override async read(range: Range, limit: Limit): Promise<Reading> {
    this.reads += 1;
    const reading = await super.read(range, limit);
    await this.hangs;
    return reading;
  }
}

/** A tracker with a small journal. Its service answers one request with each call of `finish`, later ones at once. */
function createBench(options: BenchOptions = {}): {
  bench: Bench;
  journal: SlowJournal;
  /** Tracks ten events at a time. */
  fill: (rounds: number) => Promise<void>;
  finish: (status?: number) => Promise<void>;
} {
  const journal = new SlowJournal();
  const bench = new Bench({ journal, storage: STORAGE, ...options });
  let finish = (_status: number): void => {};
  bench.answer(
    () =>
      new Promise((resolve) => {
        finish = (status) => resolve(answered(status));
      }),
  );
  const fill = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      bench.trackNow(10, LARGE);
      await bench.pass(1);
    }
  };
  const finishOne = async (status = 200): Promise<void> => {
    finish(status);
    await bench.pass(1);
  };
  return { bench, journal, fill, finish: finishOne };
}

/** Appends that were called together end one after the other. */
class PromptJournal extends SegmentedJournal {
  override async append(events: EventBytes): Promise<Range> {
    await undefined;
    return super.append(events);
  }
}

describe('a journal that is full', () => {
  it('lets durable() resolve, though the last event is dropped without an append', async () => {
    const journal = new PromptJournal();
    const bench = new Bench({ journal, storage: { ...STORAGE, whenFull: 'drop-newest' }, maxEvents: 3 });
    bench.answer(() => failed(false));
    bench.trackNow(10, { bytes: 7_000 });
    const durable = watch(bench.tracker.durable());
    await bench.pass(1);
    expect(durable).toEqual({ isOver: true, value: undefined });
    expect(bench.drops).toEqual([{ reason: 'journal-full', count: 1 }]);
  });

  it('sends what it had room for as soon as the rest of the batch is dropped', async () => {
    const journal = new SegmentedJournal();
    const bench = new Bench({ journal, storage: { ...STORAGE, whenFull: 'drop-newest' } });
    bench.trackNow(1, { bytes: STORAGE.maxBytes - 1_000 });
    await bench.pass(1);
    // The journal has freed nothing, as if other processes had the rest of it.
    bench.trackNow(2, { bytes: 200 });
    await bench.pass(1);
    expect(bench.drops).toEqual([{ reason: 'journal-full', count: 1 }]);
    expect(bench.taken).toEqual([0, 1]);
  });

  it('and fails is tried with as much of a group as it has room for', async () => {
    const journal = new FakeJournal();
    const bench = new Bench({ journal, storage: STORAGE });
    bench.answer(() => 503);
    journal.failAppends = true;
    await bench.track(1);
    bench.trackNow(2, { bytes: 40_000 });
    await expect(bench.tracker.durable()).rejects.toThrow('not durable');
    expect(bench.tracker.stats()).toMatchObject({ pending: 3, unwritten: 3 });
    journal.failAppends = false;
    // The sender has all events before the journal, which has room for two of them, is tried again.
    await bench.pass(1);
    bench.answer(() => 200);
    const flushed = bench.tracker.flush();
    await bench.pass(HOUR);
    expect(await flushed).toMatchObject({ delivered: 3, dropped: 0 });
  });

  it.each([10, 1_000])(
    'gives up its oldest events, but no request, with %d events in memory',
    async (maxEvents) => {
      const { bench, journal, fill, finish } = createBench({ buffer: { maxEvents } });
      await bench.track(1);
      await fill(10);
      expect(journal.bytes).toBeLessThanOrEqual(STORAGE.maxBytes);
      const { dropped, inFlight, pending, unwritten } = bench.tracker.stats();
      const lost = dropped['journal-full'];
      expect(lost).toBeGreaterThan(0);
      // The request goes on from memory alone.
      expect({ inFlight, pending, unwritten }).toEqual({ inFlight: 1, pending: 101 - lost, unwritten: 1 });
      expect(bench.drops.every(({ reason }) => reason === 'journal-full')).toBe(true);
      await finish();
      bench.answer(() => 200);
      await finish();
      await bench.pass(1_000);
      expect(sorted(bench.taken)).toEqual([0, ...range(1 + lost, 101)]);
      expect(bench.tracker.stats()).toMatchObject({ pending: 0, unwritten: 0, memoryBytes: 0 });
    },
  );

  it('keeps nobody waiting for the events that it gave up', async () => {
    const { bench, fill, finish } = createBench();
    await bench.track(1);
    await fill(1);
    const flush = watch(bench.tracker.flush({ timeoutMs: HOUR }));
    await fill(10);
    expect(bench.tracker.stats().dropped['journal-full']).toBeGreaterThan(10);
    expect(flush.isOver).toBe(false);
    await finish();
    expect(flush.value).toMatchObject({ delivered: 1, deadLettered: 0 });
  });

  it('gives up the newest events if it is to, and delivers all others in their order', async () => {
    const { bench, journal, fill, finish } = createBench({
      ...{ storage: { ...STORAGE, whenFull: 'drop-newest' }, ordering: 'strict' },
    });
    await bench.track(1);
    await fill(10);
    const lost = bench.tracker.stats().dropped['journal-full'];
    expect(lost).toBeGreaterThan(0);
    expect(journal.evicted).toEqual([]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 101 - lost, unwritten: 0 });
    bench.answer(() => 200);
    await finish();
    await bench.pass(1_000);
    expect(bench.taken).toEqual(range(0, 101 - lost));
  });

  it('says nothing if no event waits in what it gives up', async () => {
    const { bench, journal, fill } = createBench();
    bench.answer(() => 200);
    await fill(10);
    expect(journal.evicted.length).toBeGreaterThan(0);
    expect(bench.drops).toEqual([]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 100, pending: 0 });
  });

  it('does not end a request that goes on in parts: each of its events is delivered once', async () => {
    const { bench, fill, finish } = createBench({ maxEvents: 4 });
    await bench.track(4);
    await fill(8);
    const lost = bench.tracker.stats().dropped['journal-full'];
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 4, unwritten: 4 });
    await finish(413);
    await finish();
    expect(bench.tracker.stats().delivered).toBeGreaterThanOrEqual(1);
    bench.answer(() => 200);
    await finish();
    await bench.pass(1_000);
    expect(sorted(bench.taken)).toEqual([...range(0, 4), ...range(4 + lost, 84)]);
    expect(bench.tracker.stats()).toMatchObject({ pending: 0, unwritten: 0 });
  });

  it.each([undefined, HOUR])(
    'sends no event that it gave up while it read it, and those behind that (maxAgeMs: %s)',
    async (maxAgeMs) => {
      const { bench, journal, fill, finish } = createBench({
        ...{ maxEvents: 10, buffer: { maxEvents: 10 }, storage: { ...STORAGE, maxAgeMs } },
      });
      let goOn = (): void => {};
      journal.hangs = new Promise((resolve) => {
        goOn = resolve;
      });
      await bench.track(1);
      await fill(5);
      bench.answer(() => 200);
      await finish();
      expect(journal.reads).toBe(1);
      expect(bench.drops).toEqual([]);
      await fill(4);
      const lost = bench.tracker.stats().dropped['journal-full'];
      expect(lost).toBeGreaterThan(0);
      goOn();
      await bench.pass(1_000);
      expect(sorted(bench.taken)).toEqual([0, ...range(1 + lost, 91)]);
      expect(bench.drops.every(({ reason }) => reason === 'journal-full')).toBe(true);
      expect(bench.tracker.stats().pending).toBe(0);
    },
  );
});

describe('a journal that failed, and is full once it works again', () => {
  it.each(['unordered', 'per-customer', 'strict'] as const)(
    'drops nothing that is in a request, or waits for its next try: %s',
    async (ordering) => {
      const journal = new FakeJournal();
      journal.failAppends = true;
      const bench = new Bench({ journal, ordering, storage: { ...STORAGE, whenFull: 'drop-newest' } });
      let finish = (_status: number): void => {};
      bench.answer(
        () =>
          new Promise((resolve) => {
            finish = (status) => resolve(answered(status));
          }),
      );
      // More than the journal has room for.
      bench.trackNow(70, LARGE);
      await bench.pass(1);
      finish(500);
      await bench.pass(1_000);
      journal.failAppends = false;
      await bench.pass(5_000);
      expect(bench.tracker.stats()).toMatchObject({ inFlight: 70, pending: 70 });
      finish(200);
      await bench.pass(1_000);
      expect(bench.taken).toHaveLength(70);
      expect(bench.tracker.stats()).toMatchObject({ delivered: 70, pending: 0, unwritten: 0 });
    },
  );
});
