import { describe, expect, it } from 'vitest';
import { Backlog } from '../src/backlog.ts';
import type { Batch } from '../src/batch.ts';
import { Batcher } from '../src/batcher.ts';
import type { Clock } from '../src/clock.ts';
import type { Range } from '../src/journal.ts';
import { toEventBytes, toTexts } from './event-texts.ts';
import { FakeJournal } from './fake-journal.ts';
import { SkewedClock } from './skewed-clock.ts';
import { textWriter } from './text-writer.ts';
import { settle, VirtualClock } from './virtual-clock.ts';

const MAX_WAIT_MS = 1_000;

interface Bench {
  readonly clock: VirtualClock;
  readonly backlog: Backlog;
  readonly journal: FakeJournal;
  readonly batcher: Batcher;
  /** Counts of the calls of onDamaged. */
  readonly damaged: number[];
  readonly due: () => number;
  readonly accept: (...texts: string[]) => void;
  /** Accepts events and writes them to the journal. */
  readonly write: (...texts: string[]) => Promise<void>;
  /** Finds events of an earlier life in the journal. */
  readonly recover: (...texts: string[]) => Promise<Range>;
  /** The texts of the next batch. */
  readonly next: () => Promise<string[] | undefined>;
}

function createBench(
  options: {
    maxEvents?: number;
    maxBytes?: number;
    maxWaitMs?: number;
    maxAgeMs?: number;
    time?: Clock;
  } = {},
  clock: VirtualClock = new VirtualClock(),
): Bench {
  const { maxEvents = 3, maxBytes = 1_000, maxWaitMs = MAX_WAIT_MS, maxAgeMs, time = clock } = options;
  const expired: number[] = [];
  const backlog = new Backlog({ maxEvents: 1_000, maxBytes: 100_000 }, textWriter);
  const journal = new FakeJournal();
  const damaged: number[] = [];
  let due = 0;
  const batcher = new Batcher({
    backlog,
    journal,
    clock: time,
    limit: { maxEvents, maxBytes },
    maxWaitMs,
    maxAgeMs,
    onExpired: (count) => expired.push(count),
    onDue: () => {
      due += 1;
    },
    onDamaged: (count) => damaged.push(count),
  });
  const accept = (...texts: string[]): void => {
    for (const text of texts) backlog.push(text, time.now());
  };
  const write = async (...texts: string[]): Promise<void> => {
    accept(...texts);
    const group = backlog.unwrittenGroup(journal.groupLimit);
    if (group !== undefined) backlog.markWritten(await journal.append(group));
  };
  const recover = async (...texts: string[]): Promise<Range> => {
    const range = await journal.append(toEventBytes(texts));
    backlog.addRecovered(range);
    return range;
  };
  const next = async (): Promise<string[] | undefined> => textsOf(await batcher.next());
  return { clock, backlog, journal, batcher, damaged, due: () => due, accept, write, recover, next };
}

function textsOf(batch: Batch | undefined): string[] | undefined {
  return batch && toTexts(batch.events);
}

describe('Batcher, with fresh events', () => {
  it('has no batch and no timer where nothing waits', async () => {
    const { next, clock } = createBench();
    expect(await next()).toBeUndefined();
    expect(clock.timers).toBe(0);
  });

  it('waits for more until the oldest event is old enough, and tells when it is', async () => {
    const { next, write, clock, due } = createBench();
    await write('1');
    await clock.advance(400);
    await write('2');
    expect(await next()).toBeUndefined();
    await clock.advance(599);
    expect(due()).toBe(0);
    expect(await next()).toBeUndefined();
    await clock.advance(1);
    expect(due()).toBe(1);
    expect(await next()).toEqual(['1', '2']);
    expect(clock.timers).toBe(0);
  });

  it('sets one timer, however often it is asked', async () => {
    const { next, write, clock } = createBench();
    await write('1');
    for (let count = 0; count < 10; count += 1) await next();
    expect(clock.timers).toBe(1);
  });

  it('counts the age anew from the oldest event that is left', async () => {
    const { next, write, clock, due } = createBench();
    await write('1');
    await next();
    await clock.advance(500);
    await write('2', '3', '4');
    expect(await next()).toEqual(['1', '2', '3']);
    expect(await next()).toBeUndefined();
    await clock.advance(500);
    expect(await next()).toBeUndefined();
    await clock.advance(499);
    const before = due();
    expect(await next()).toBeUndefined();
    await clock.advance(1);
    expect(due()).toBe(before + 1);
    expect(await next()).toEqual(['4']);
  });

  it('makes a batch as soon as there are enough events', async () => {
    const { next, write } = createBench({ maxEvents: 3 });
    await write('1', '2');
    expect(await next()).toBeUndefined();
    await write('3', '4');
    expect(await next()).toEqual(['1', '2', '3']);
    expect(await next()).toBeUndefined();
  });

  it('makes a batch as soon as there are enough bytes, and of no more bytes', async () => {
    const { next, write } = createBench({ maxEvents: 100, maxBytes: 10 });
    await write('1234', '5678');
    expect(await next()).toBeUndefined();
    await write('90');
    expect(await next()).toEqual(['1234', '5678']);
  });

  it('puts an event that is larger than a batch may be in one of its own', async () => {
    const { next, write } = createBench({ maxEvents: 100, maxBytes: 10 });
    await write('1', '22222222222222', '3');
    expect(await next()).toEqual(['1']);
    expect(await next()).toEqual(['22222222222222']);
    expect(await next()).toBeUndefined();
  });

  it('waits for none where it is to wait for none', async () => {
    const { next, write, clock } = createBench({ maxWaitMs: 0 });
    await write('1');
    expect(await next()).toEqual(['1']);
    expect(clock.timers).toBe(0);
  });

  it('leaves events that are not written yet, however old they are', async () => {
    const { next, write, accept, clock } = createBench();
    accept('1', '2', '3', '4');
    await clock.advance(MAX_WAIT_MS);
    expect(await next()).toBeUndefined();
    expect(clock.timers).toBe(0);
    await write();
    expect(await next()).toEqual(['1', '2', '3']);
  });

  it('does not wait while somebody is in a hurry', async () => {
    const { next, write, batcher } = createBench();
    const calm = batcher.hurry();
    await write('1');
    expect(await next()).toEqual(['1']);
    calm();
    await write('2');
    expect(await next()).toBeUndefined();
  });

  it('does not wait until the last of several is no longer in a hurry', async () => {
    const { next, write, batcher } = createBench();
    const calms = [batcher.hurry(), batcher.hurry()];
    calms[0]?.();
    await write('1');
    expect(await next()).toEqual(['1']);
    calms[1]?.();
    await write('2');
    expect(await next()).toBeUndefined();
  });

  it('does not wait for hours where the time of day was set back', async () => {
    const clock = new VirtualClock();
    const time = new SkewedClock(clock);
    const { next, write } = createBench({ time }, clock);
    await write('1');
    time.skewMs = -24 * 60 * 60_000;
    expect(await next()).toEqual(['1']);
  });

  it('makes a batch of its own of events whose range in the journal is one of its own', async () => {
    const { write, backlog, batcher } = createBench({ maxEvents: 10 });
    await write('1', '2');
    void backlog.epochs.turn();
    await write('3');
    batcher.hurry();
    const batches = [await batcher.next(), await batcher.next(), await batcher.next()];
    expect(batches.map(textsOf)).toEqual([['1', '2'], ['3'], undefined]);
    expect(batches[0]?.range).toMatchObject({ from: 0, to: 2, epoch: 0 });
    expect(batches[1]?.range).toMatchObject({ from: 2, to: 3, epoch: 1 });
  });

  it('has no timer left once it is stopped', async () => {
    const { next, write, batcher, clock, due } = createBench();
    await write('1');
    await next();
    batcher.stop();
    expect(clock.timers).toBe(0);
    await clock.advance(MAX_WAIT_MS);
    expect(due()).toBe(0);
  });
});

describe('Batcher, with stored events', () => {
  it('sends them at once, as many in a batch as may be', async () => {
    const { next, recover, clock } = createBench({ maxEvents: 3 });
    await recover('1', '2', '3', '4', '5');
    expect(await next()).toEqual(['1', '2', '3']);
    expect(await next()).toEqual(['4', '5']);
    expect(await next()).toBeUndefined();
    expect(clock.timers).toBe(0);
  });

  it('knows where the journal keeps them', async () => {
    const { batcher, recover } = createBench({ maxEvents: 3 });
    const { segment, from } = await recover('1', '2', '3', '4');
    const batches = [await batcher.next(), await batcher.next()];
    expect(batches.map((batch) => batch?.range)).toEqual([
      { segment, from, to: from + 3, epoch: 0 },
      { segment, from: from + 3, to: from + 4, epoch: 0 },
    ]);
  });

  it('takes turns between them and fresh ones', async () => {
    const { next, recover, write } = createBench({ maxEvents: 2 });
    await recover('old 1', 'old 2', 'old 3', 'old 4', 'old 5');
    await write('new 1', 'new 2', 'new 3', 'new 4');
    const batches = [];
    for (let count = 0; count < 6; count += 1) batches.push(await next());
    expect(batches).toEqual([
      ['old 1', 'old 2'],
      ['new 1', 'new 2'],
      ['old 3', 'old 4'],
      ['new 3', 'new 4'],
      ['old 5'],
      undefined,
    ]);
  });

  it('goes on with them while the fresh ones are not due', async () => {
    const { next, recover, write } = createBench({ maxEvents: 2 });
    await recover('old 1', 'old 2', 'old 3');
    await write('new 1');
    expect([await next(), await next(), await next()]).toEqual([['old 1', 'old 2'], ['old 3'], undefined]);
  });

  it('passes over those that cannot be read back, and counts them', async () => {
    const { next, recover, journal, damaged, backlog } = createBench({ maxEvents: 10 });
    const { segment, from } = await recover('1', '2', '3', '4', '5');
    journal.damage({ segment, from: from + 1, to: from + 3 });
    const flushed = backlog.epochs.turn();
    const first = await next();
    expect(first).toEqual(['1']);
    expect(damaged).toEqual([]);
    expect(await next()).toEqual(['4', '5']);
    expect(damaged).toEqual([2]);
    expect([backlog.pending, backlog.stored, backlog.inFlight]).toEqual([3, 0, 3]);
    backlog.settle({ segment, from, to: from + 3, epoch: 0 });
    await flushed;
  });

  it('has no batch where all that is stored is damaged, and nobody waits for it', async () => {
    const { next, recover, journal, damaged, backlog } = createBench();
    journal.damage(await recover('1', '2', '3'));
    const flushed = backlog.epochs.turn();
    expect(await next()).toBeUndefined();
    expect(damaged).toEqual([3]);
    expect(backlog.pending).toBe(0);
    await flushed;
  });

  it('goes on to fresh events that are due where what is stored is damaged', async () => {
    const { next, recover, write, journal } = createBench({ maxEvents: 2 });
    journal.damage(await recover('old'));
    await write('new 1', 'new 2');
    expect(await next()).toEqual(['new 1', 'new 2']);
  });

  it('rejects where storage fails, takes nothing then, and reads on once it works', async () => {
    const { next, recover, journal, damaged, backlog } = createBench();
    await recover('1', '2');
    journal.failReads = true;
    await expect(next()).rejects.toThrow('scripted');
    expect([backlog.pending, backlog.stored, backlog.inFlight]).toEqual([2, 2, 0]);
    journal.failReads = false;
    expect(await next()).toEqual(['1', '2']);
    expect(damaged).toEqual([]);
  });

  it('sends fresh events that are due while those that are stored cannot be read', async () => {
    const { next, recover, write, journal } = createBench({ maxEvents: 1 });
    await recover('old');
    await write('new 1', 'new 2');
    journal.failReads = true;
    const batches: (string[] | undefined)[] = [];
    for (let count = 0; count < 4; count += 1) batches.push(await next().catch(() => undefined));
    expect(batches.filter((batch) => batch !== undefined)).toEqual([['new 1'], ['new 2']]);
  });

  it('reads on from where it was, also where more came while it read', async () => {
    const { next, recover, journal } = createBench({ maxEvents: 2 });
    await recover('1', '2', '3');
    const release = journal.hangReads();
    const first = next();
    await settle();
    await recover('4');
    release();
    expect(await first).toEqual(['1', '2']);
    expect([await next(), await next()].flat()).toEqual(['3', '4']);
  });
});
