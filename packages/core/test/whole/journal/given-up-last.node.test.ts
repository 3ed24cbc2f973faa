import { describe, expect, it } from 'vitest';
import type { EventBytes, Limit } from '../../../src/base/event-bytes.ts';
import type { Range } from '../../../src/base/range.ts';
import type { Reading } from '../../../src/keep/journal.ts';
import { Bench, range, sorted, textNumbers } from '../../bench/bench.ts';
import { answered } from '../../bench/scripted-transport.ts';
import { SegmentedJournal } from '../../bench/segmented-journal.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const MAX_BYTES = 64 * 1024;
/** Ten such events fit into `MAX_BYTES`, beside one small event. */
const TENTH = { bytes: 6_000 };
/** Two such events fit. */
const HALF = { bytes: 30_000 };
const HIGH = { priority: 'high' } as const;

/** Records what is released. Its appends can wait, and its reads can fail. */
class RecordingJournal extends SegmentedJournal {
  readonly acknowledged: Range[] = [];
  /** What is written, synced and given up, in order. */
  readonly log: string[] = [];
  failReads = false;
  /** Releases wait for it. */
  released: Promise<void> | undefined;
  #gate: Promise<void> | undefined;

  hangAppends(): () => void {
    let release = (): void => {};
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  override async append(events: EventBytes): Promise<Range> {
    await this.#gate;
    this.log.push('append');
    return super.append(events);
  }

  override async sync(): Promise<void> {
    this.log.push('sync');
  }

  override async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    const segment = await super.evictOldest(rescue);
    this.log.push('give up');
    return segment;
  }

  override async acknowledge(range: Range): Promise<void> {
    this.acknowledged.push(range);
    await this.released;
  }

  override async read(range: Range, limit: Limit): Promise<Reading> {
    if (this.failReads) throw new Error('unreadable');
    return super.read(range, limit);
  }
}

interface Scene {
  readonly journal: RecordingJournal;
  readonly bench: Bench;
  /** Answers the pending request and all later ones. */
  readonly answer: () => Promise<void>;
}

/** A tracker with a full journal, and a service that answers no request yet. */
function createScene(): Scene {
  const journal = new RecordingJournal();
  const bench = new Bench({
    ...{ journal, storage: { maxBytes: MAX_BYTES }, batch: { maxEvents: 2 } },
    delivery: { timeoutMs: HOUR },
  });
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  bench.answer(() => opened.then(() => answered(200)));
  const answer = async (): Promise<void> => {
    open();
    await bench.pass(SECOND);
  };
  return { journal, bench, answer };
}

/** Tracks events, and writes them as one group. */
async function write(
  bench: Bench,
  count: number,
  options: { bytes?: number; priority?: 'high' } = {},
): Promise<void> {
  bench.trackNow(count, options);
  await bench.pass(1);
}

describe('a tracker whose journal is full', () => {
  it('drops events of high priority last', async () => {
    const { bench, journal, answer } = createScene();
    await write(bench, 1);
    for (let count = 0; count < 3; count += 1) await write(bench, 1, { ...TENTH, ...HIGH });
    for (let count = 0; count < 30; count += 1) await write(bench, 1, TENTH);
    expect(sorted(textNumbers(journal.texts))).toEqual([...range(1, 4), ...range(27, 34)]);
    expect(bench.tracker.stats().dropped['journal-full']).toBe(23);
    await answer();
    expect(sorted(bench.taken)).toEqual([0, ...range(1, 4), ...range(27, 34)]);
  });

  it('drops older events of high priority for a new one if there are no others', async () => {
    const { bench, answer } = createScene();
    await write(bench, 1);
    for (let count = 0; count < 13; count += 1) await write(bench, 1, { ...TENTH, ...HIGH });
    expect(bench.drops).toEqual(Array(3).fill({ reason: 'journal-full', count: 1 }));
    await answer();
    expect(bench.taken).toHaveLength(11);
    expect(bench.taken).toEqual(expect.arrayContaining([11, 12, 13]));
  });

  it('drops no event of high priority for one of normal priority', async () => {
    const { bench, answer } = createScene();
    await write(bench, 1);
    for (let count = 0; count < 10; count += 1) await write(bench, 1, { ...TENTH, ...HIGH });
    await write(bench, 1, TENTH);
    expect(bench.drops).toEqual([{ reason: 'journal-full', count: 1 }]);
    await answer();
    expect(bench.taken).toEqual(range(0, 11));
  });
});

describe('events of high priority in a segment that the journal gives up', () => {
  it('are synced where they are now, before it is given up', async () => {
    const { bench, journal } = createScene();
    await write(bench, 1);
    await write(bench, 1, { ...TENTH, ...HIGH });
    for (let count = 0; count < 20; count += 1) await write(bench, 1, TENTH);
    expect(journal.log.join(', ')).toContain('append, sync, give up');
  });

  it('are written to another segment, from which they are sent, without the others', async () => {
    const { bench, journal, answer } = createScene();
    await write(bench, 1);
    bench.trackNow(1, TENTH);
    await write(bench, 3, { ...TENTH, ...HIGH });
    for (let count = 0; count < 3; count += 1) await write(bench, 1, HALF);
    expect(sorted(textNumbers(journal.texts))).toEqual([2, 3, 4, 7]);
    expect(bench.tracker.stats().dropped['journal-full']).toBe(3);
    await answer();
    expect(sorted(bench.taken)).toEqual([0, 2, 3, 4, 7]);
    expect(bench.storageFailures).toEqual([]);
  });

  it('are also written again while they are in a request', async () => {
    const { bench, journal, answer } = createScene();
    await write(bench, 2, { ...TENTH, ...HIGH });
    expect(bench.tracker.stats().inFlight).toBe(2);
    for (let count = 0; count < 2; count += 1) await write(bench, 1, HALF);
    expect(journal.evicted).toContain(1);
    expect(textNumbers(journal.texts)).toEqual([0, 1, 3]);
    expect(bench.tracker.stats()).toMatchObject({ inFlight: 2, pending: 3, unwritten: 0 });
    await answer();
    expect(bench.taken).toEqual([0, 1, 3]);
  });

  it('are released if the service takes them while they are written', async () => {
    const { bench, journal, answer } = createScene();
    await write(bench, 2, { ...TENTH, ...HIGH });
    await write(bench, 1, HALF);
    const release = journal.hangAppends();
    bench.trackNow(1, HALF);
    await bench.pass(1);
    await answer();
    release();
    await bench.pass(1);
    expect(bench.taken.slice(0, 2)).toEqual([0, 1]);
    const rescued = journal.acknowledged.filter(({ segment }) => segment !== 1);
    expect(rescued).toContainEqual({ segment: 3, from: 0, to: 2 });
  });

  it('leave no copy behind if they are being released', async () => {
    const { bench, journal, answer } = createScene();
    await write(bench, 2, { ...TENTH, ...HIGH });
    let release = (): void => {};
    journal.released = new Promise((resolve) => {
      release = resolve;
    });
    await answer();
    expect(journal.acknowledged).toEqual([{ segment: 1, from: 0, to: 2 }]);
    for (let count = 0; count < 2; count += 1) await write(bench, 1, HALF);
    expect(journal.evicted).toContain(1);
    expect(textNumbers(journal.texts)).not.toEqual(expect.arrayContaining([0]));
    release();
    await bench.pass(SECOND);
    expect(sorted(bench.taken)).toEqual([0, 1, 2, 3]);
  });

  it('are dropped if they cannot be read, and that is said', async () => {
    const { bench, journal, answer } = createScene();
    await write(bench, 1);
    await write(bench, 2, { ...TENTH, ...HIGH });
    journal.failReads = true;
    for (let count = 0; count < 2; count += 1) await write(bench, 1, HALF);
    expect(bench.storageFailures).toMatchObject([{ message: 'storage failed: unreadable' }]);
    expect(bench.drops).toEqual([{ reason: 'journal-full', count: 2 }]);
    await answer();
    expect(bench.taken).toEqual([0, 3, 4]);
  });
});
