import type { Clock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { Budget } from '../../src/keep/budget.ts';
import type { Journal } from '../../src/keep/journal.ts';
import { toEventBytes } from '../bench/event-texts.ts';
import { FakeJournal } from '../bench/fake-journal.ts';
import { SegmentedJournal } from '../bench/segmented-journal.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';

const GIB = 1024 ** 3;

/** A group of one event that takes this many bytes of the journal. */
function sized(bytes: number): EventBytes {
  return toEventBytes(['x'.repeat(bytes - 32)]);
}

type BudgetOptions = ConstructorParameters<typeof Budget>[0];

interface Bounds extends Partial<BudgetOptions['storage']>, Partial<Pick<BudgetOptions, 'opened'>> {}

interface Bench<J extends Journal> {
  readonly clock: VirtualClock;
  /** How many events wait in each segment. */
  readonly waiting: Map<number, number>;
  readonly journal: J;
  readonly budget: Budget;
  /** Counts of dropped events. */
  readonly dropped: number[];
  /** For each number, writes a segment of this many bytes. Its one event waits. */
  readonly fill: (...bytes: number[]) => Promise<void>;
}

function createBenchWith<J extends Journal>(
  journal: J,
  { opened = async () => {}, ...storage }: Bounds = {},
  clock: VirtualClock = new VirtualClock(),
  time: Clock = clock,
): Bench<J> {
  const waiting = new Map<number, number>();
  const evict = ({ segment }: Range): number => {
    const count = waiting.get(segment) ?? 0;
    waiting.delete(segment);
    return count;
  };
  const dropped: number[] = [];
  const budget = new Budget({
    waiting: { isGivenUp: false, evict, hasOnlyAlone: () => false, rescue: async () => 0 },
    ...{ journal, clock: time, opened },
    storage: { maxBytes: 1_000, minFreeBytes: 0, whenFull: 'drop-oldest', ...storage },
    reporter: { settled: (_reason, count) => count > 0 && dropped.push(count) },
  });
  const fill = async (...sizes: number[]): Promise<void> => {
    for (const bytes of sizes) {
      const { segment } = await journal.append(sized(bytes));
      waiting.set(segment, (waiting.get(segment) ?? 0) + 1);
    }
  };
  return { clock, waiting, journal, budget, dropped, fill };
}

function createBench(bounds?: Bounds): Bench<SegmentedJournal> {
  return createBenchWith(new SegmentedJournal(), bounds);
}

/** Keeps at least one gibibyte free. `spare` is a disk with this much free space above that. */
const unbounded = Number.POSITIVE_INFINITY;
const FLOOR = { minFreeBytes: GIB, maxBytes: unbounded };
function spare(bytes: number): () => Promise<{ freeBytes: number; totalBytes: number }> {
  return async () => ({ freeBytes: GIB + bytes, totalBytes: 100 * GIB });
}

describe('Budget, with a bound of the journal', () => {
  it('has room up to the last byte', async () => {
    const { budget, fill, dropped } = createBench();
    await fill(600);
    expect(await budget.makeRoom(sized(400))).toBe('room');
    expect(dropped).toEqual([]);
  });

  it('gives up as many of the oldest segments as a group needs, and tells what waited in them', async () => {
    const { budget, fill, journal, waiting, dropped } = createBench();
    await fill(300, 300, 400);
    expect(await budget.makeRoom(sized(500))).toBe('room');
    expect(journal.evicted).toEqual([1, 2]);
    expect(dropped).toEqual([1, 1]);
    expect([...waiting]).toEqual([[3, 1]]);
  });

  it('tells of no loss where nothing waited in what it gave up', async () => {
    const { budget, journal, dropped } = createBench();
    await journal.append(sized(900));
    expect(await budget.makeRoom(sized(200))).toBe('room');
    expect(journal.evicted).toEqual([1]);
    expect(dropped).toEqual([]);
  });

  it('gives up nothing where the newest is to go, and says that it is full', async () => {
    const { budget, fill, journal, dropped } = createBench({ whenFull: 'drop-newest' });
    await fill(800);
    expect(await budget.makeRoom(sized(201))).toBe('full');
    expect(await budget.makeRoom(sized(200))).toBe('room');
    expect(journal.evicted).toEqual([]);
    expect(dropped).toEqual([]);
  });

  it('costs no other event where a group could never fit', async () => {
    const { budget, fill, journal } = createBench();
    await fill(300, 300);
    expect(await budget.makeRoom(sized(1_001))).toBe('full');
    expect(journal.evicted).toEqual([]);
  });

  it('takes a group that needs all of it', async () => {
    const { budget, fill, journal } = createBench();
    await fill(300, 300);
    expect(await budget.makeRoom(sized(1_000))).toBe('room');
    expect(journal.bytes).toBe(0);
  });

  it('is full where the journal cannot give up anything', async () => {
    const { budget, fill } = createBenchWith(new FakeJournal());
    await fill(900);
    expect(await budget.makeRoom(sized(200))).toBe('full');
    expect(await budget.makeRoom(sized(100))).toBe('room');
  });

  it('does not go on where what the journal gave up made no room', async () => {
    class StuckJournal extends SegmentedJournal {
      override async evictOldest(): Promise<number | undefined> {
        this.evicted.push(0);
        return 0;
      }
    }
    const { budget, fill, journal } = createBenchWith(new StuckJournal());
    await fill(900);
    expect(await budget.makeRoom(sized(200))).toBe('full');
    expect(journal.evicted).toEqual([0]);
  });

  it('waits until it is known what earlier lives left', async () => {
    let open = (): void => {};
    const opening = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { budget, fill } = createBench({ opened: () => opening, whenFull: 'drop-newest' });
    expect(budget.hasRoom(sized(500))).toBe(false);
    const room = budget.makeRoom(sized(500));
    await fill(900);
    open();
    expect(await room).toBe('full');
    expect(budget.hasRoom(sized(100))).toBe(true);
  });

  it('counts what is being written, until that is written or was not', async () => {
    const { budget } = createBench({ whenFull: 'drop-newest' });
    const group = sized(600);
    expect(await budget.makeRoom(group)).toBe('room');
    expect(await budget.makeRoom(sized(500))).toBe('full');
    budget.written(group);
    expect(await budget.makeRoom(sized(500))).toBe('room');
  });

  it('has the journal reclaim what nobody needs before anything that waits goes', async () => {
    class LitteredJournal extends SegmentedJournal {
      litter = 700;
      override get bytes(): number {
        return super.bytes + this.litter;
      }
      async reclaim(): Promise<void> {
        this.litter = 0;
      }
    }
    const { budget, fill, journal, dropped } = createBenchWith(new LitteredJournal());
    await fill(300);
    expect(await budget.makeRoom(sized(700))).toBe('room');
    expect([journal.evicted, dropped]).toEqual([[], []]);
  });

  it('has room for everything where there is no bound', async () => {
    const { budget } = createBench({ maxBytes: unbounded });
    expect(await budget.makeRoom(sized(100_000))).toBe('room');
  });
});

describe('Budget, with a disk that is shared', () => {
  it('leaves what others are to have, and is low where nothing of its own could go', async () => {
    const { budget, journal } = createBench(FLOOR);
    journal.disk = spare(100);
    expect(await budget.makeRoom(sized(101))).toBe('low');
    expect(await budget.makeRoom(sized(100))).toBe('room');
    expect(await budget.makeRoom(sized(33))).toBe('low');
  });

  it('gives up the oldest to leave that, and counts what it frees', async () => {
    const { budget, journal, fill, dropped } = createBench(FLOOR);
    journal.disk = spare(50);
    await fill(300, 300);
    expect(await budget.makeRoom(sized(320))).toBe('room');
    expect(journal.evicted).toEqual([1]);
    expect(dropped).toEqual([1]);
    expect(journal.looks).toBe(1);
  });

  it('is low, not full, where the newest is to go: the disk may have room again', async () => {
    const { budget, journal, fill } = createBench({ ...FLOOR, whenFull: 'drop-newest' });
    journal.disk = spare(10);
    await fill(300);
    expect(await budget.makeRoom(sized(100))).toBe('low');
    expect(journal.evicted).toEqual([]);
  });

  it('is full where both bounds are reached', async () => {
    const { budget, journal, fill } = createBench({ ...FLOOR, maxBytes: 1_000, whenFull: 'drop-newest' });
    journal.disk = spare(10);
    await fill(950);
    expect(await budget.makeRoom(sized(100))).toBe('full');
  });

  it('leaves no more than a twentieth of a small disk', async () => {
    const { budget, journal } = createBench(FLOOR);
    journal.disk = async () => ({ freeBytes: 600, totalBytes: 10_000 });
    expect(await budget.makeRoom(sized(101))).toBe('low');
    expect(await budget.makeRoom(sized(100))).toBe('room');
  });

  it('writes on where the disk does not say how much room it has, and asks again a second later', async () => {
    const { budget, journal, clock } = createBench(FLOOR);
    journal.disk = () => Promise.reject(new Error('no statfs here'));
    expect(await budget.makeRoom(sized(1_000))).toBe('room');
    expect(await budget.makeRoom(sized(1_000))).toBe('room');
    expect(journal.looks).toBe(1);
    journal.disk = spare(0);
    await clock.advance(1_000);
    expect(await budget.makeRoom(sized(1_000))).toBe('low');
    expect(journal.looks).toBe(2);
  });

  it('looks at it once a second, and counts what it lets through in between', async () => {
    const { budget, journal, clock } = createBench(FLOOR);
    journal.disk = spare(100);
    expect(await budget.makeRoom(sized(60))).toBe('room');
    expect(budget.hasRoom(sized(41))).toBe(false);
    expect(budget.hasRoom(sized(40))).toBe(true);
    await clock.advance(999);
    expect(await budget.makeRoom(sized(40))).toBe('low');
    expect(journal.looks).toBe(1);
    await clock.advance(1);
    expect(await budget.makeRoom(sized(40))).toBe('room');
    expect(journal.looks).toBe(2);
  });

  it('has no room that it did not look at for a second, nor where the time of day was set back', async () => {
    const clock = new VirtualClock();
    const time = new SkewedClock(clock);
    const { budget, journal } = createBenchWith(new SegmentedJournal(), FLOOR, clock, time);
    expect(budget.hasRoom(sized(40))).toBe(false);
    expect(await budget.makeRoom(sized(40))).toBe('room');
    expect(budget.hasRoom(sized(40))).toBe(true);
    await clock.advance(1_000);
    expect(budget.hasRoom(sized(40))).toBe(false);
    await budget.makeRoom(sized(40));
    time.skewMs = -60_000;
    expect(budget.hasRoom(sized(40))).toBe(false);
    expect(await budget.makeRoom(sized(40))).toBe('room');
    expect(journal.looks).toBe(3);
  });

  it('needs no look where the journal cannot know the disk', async () => {
    const { budget } = createBenchWith(new FakeJournal(), FLOOR);
    expect(await budget.makeRoom(sized(100))).toBe('room');
    expect(budget.hasRoom(sized(100))).toBe(true);
  });

  it('gives up nothing because the disk took long to say how much room it has', async () => {
    const { budget, journal, clock, fill, dropped } = createBench(FLOOR);
    await fill(300, 300, 300);
    journal.disk = async () => {
      await clock.advance(5_000);
      return spare(10_000)();
    };
    expect(await budget.makeRoom(sized(100))).toBe('room');
    expect(journal.evicted).toEqual([]);
    expect(dropped).toEqual([]);
  });

  it('gives up no more than it needs where giving up takes long', async () => {
    const clock = new VirtualClock();
    class SlowJournal extends SegmentedJournal {
      override async evictOldest(): Promise<number | undefined> {
        await clock.advance(5_000);
        return super.evictOldest();
      }
    }
    const { budget, fill, journal } = createBenchWith(new SlowJournal(), {}, clock);
    await fill(300, 300, 300);
    expect(await budget.makeRoom(sized(200))).toBe('room');
    expect(journal.evicted).toEqual([1]);
  });
});
