import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import type { Range } from '../../src/base/range.ts';
import { SizeLimit } from '../../src/pace/size-limit.ts';
import { Backlog } from '../../src/wait/backlog.ts';
import type { Batch } from '../../src/wait/batch.ts';
import { Batcher } from '../../src/wait/batcher.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { FakeJournal } from '../bench/fake-journal.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';
import { textWriter } from '../bench/text-writer.ts';
import { settle, VirtualClock } from '../bench/virtual-clock.ts';

const MAX_WAIT_MS = 1_000;

interface Bench {
  readonly clock: VirtualClock;
  readonly backlog: Backlog;
  readonly journal: FakeJournal;
  readonly batcher: Batcher;
  /** Counts of events that were dropped as damaged, and as expired. */
  readonly damaged: number[];
  readonly expired: number[];
  readonly due: () => number;
  readonly accept: (...texts: string[]) => void;
  /** Accepts events and writes them to the journal. */
  readonly write: (...texts: string[]) => Promise<void>;
  /** Finds events of an earlier process in the journal. */
  readonly recover: (...texts: string[]) => Promise<Range>;
  /** The same, with the times when they were accepted, if they are known. */
  readonly recoverAt: (times: readonly number[] | undefined, ...texts: string[]) => Promise<Range>;
  /** The texts of the next batch. */
  readonly next: (maxEvents?: number) => Promise<string[] | undefined>;
  readonly sizeLimit: SizeLimit;
}

function createBench(
  options: {
    maxEvents?: number;
    maxBytes?: number;
    maxWaitMs?: number;
    maxAgeMs?: number | undefined;
    isStrict?: boolean;
    time?: Clock;
  } = {},
  clock: VirtualClock = new VirtualClock(),
): Bench {
  const { maxEvents = 3, maxBytes = 1_000, maxWaitMs = MAX_WAIT_MS, maxAgeMs, time = clock } = options;
  const sizeLimit = new SizeLimit(() => {});
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
    sizeLimit,
    isStrict: options.isStrict ?? false,
    maxWaitMs,
    maxAgeMs,
    onDue: () => {
      due += 1;
    },
    reporter: { settled: (reason, count) => (reason === 'expired' ? expired : damaged).push(count) },
  });
  const accept = (...texts: string[]): void => {
    for (const text of texts) backlog.push(text, time.now());
  };
  const write = async (...texts: string[]): Promise<void> => {
    accept(...texts);
    const group = backlog.unwrittenGroup(journal.groupLimit);
    if (group !== undefined) backlog.markWritten(await journal.append(group));
  };
  const recover = (...texts: string[]): Promise<Range> => recoverAt(undefined, ...texts);
  const recoverAt = async (times: readonly number[] | undefined, ...texts: string[]): Promise<Range> => {
    const events = toEventBytes(texts);
    const range = await journal.append({ ...events, times: times && Float64Array.from(times) });
    backlog.addRecovered(range);
    return range;
  };
  const next = async (most?: number): Promise<string[] | undefined> => textsOf(await batcher.next(most));
  return {
    clock,
    backlog,
    journal,
    batcher,
    damaged,
    expired,
    due: () => due,
    accept,
    write,
    recover,
    recoverAt,
    next,
    sizeLimit,
  };
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
    void backlog.epochs.turn(new AbortController().signal);
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
    const flushed = backlog.epochs.turn(new AbortController().signal);
    const first = await next();
    expect(first).toEqual(['1']);
    expect(damaged).toEqual([]);
    expect(await next()).toEqual(['4', '5']);
    expect(damaged).toEqual([2]);
    expect([backlog.pending, backlog.stored, backlog.inFlight]).toEqual([3, 0, 3]);
    for (const batch of backlog.batches) backlog.settle(batch);
    await flushed;
  });

  it('has no batch where all that is stored is damaged, and nobody waits for it', async () => {
    const { next, recover, journal, damaged, backlog } = createBench();
    journal.damage(await recover('1', '2', '3'));
    const flushed = backlog.epochs.turn(new AbortController().signal);
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
    expect([await next(), await next()].flat().filter((text) => text !== undefined)).toEqual(['3', '4']);
  });
});

describe('Batcher, with events that get too old', () => {
  const MAX_AGE_MS = 10_000;

  it('drops those in memory that are older than may be, and no others', async () => {
    const { batcher, write, clock, expired, backlog, journal, next } = createBench({ maxAgeMs: MAX_AGE_MS });
    await write('1', '2', '3', '4');
    await clock.advance(1);
    await write('5');
    await clock.advance(MAX_AGE_MS - 1);
    await batcher.dropExpired();
    expect(expired).toEqual([]);
    await clock.advance(1);
    await batcher.dropExpired();
    expect(expired).toEqual([3, 1]);
    expect(backlog.pending).toBe(1);
    expect(journal.acknowledged.map(({ from, to }) => [from, to])).toEqual([
      [0, 3],
      [3, 4],
    ]);
    expect(await next()).toEqual(['5']);
  });

  it('drops those that are stored by what the journal says of their times, and no others', async () => {
    const { batcher, recoverAt, clock, expired, journal, next } = createBench({ maxAgeMs: MAX_AGE_MS });
    const oldest = clock.now() - MAX_AGE_MS;
    const { segment, from } = await recoverAt(
      [-4, -3, -2, -1, 0, 1].map((ms) => oldest + ms),
      ...['1', '2', '3', '4', '5', '6'],
    );
    await batcher.dropExpired();
    expect(expired).toEqual([3, 1]);
    expect(journal.acknowledged).toMatchObject([
      { segment, from, to: from + 3 },
      { segment, from: from + 3, to: from + 4 },
    ]);
    expect(await next()).toEqual(['5', '6']);
  });

  it('never drops those of which it is not known when they were accepted', async () => {
    const { batcher, recover, recoverAt, clock, expired, next } = createBench({ maxAgeMs: MAX_AGE_MS });
    await recoverAt([Number.NaN, Number.NaN], '1', '2');
    await recover('3');
    await clock.advance(100 * MAX_AGE_MS);
    await batcher.dropExpired();
    expect(expired).toEqual([]);
    expect([await next(), await next()].flat().filter((text) => text !== undefined)).toEqual(['1', '2', '3']);
  });

  it('drops none, and sets no timer, where there is no bound or nothing waits', async () => {
    const unbounded = createBench();
    await unbounded.write('1');
    await unbounded.clock.advance(100 * MAX_AGE_MS);
    await unbounded.batcher.dropExpired();
    expect([unbounded.expired, unbounded.clock.timers]).toEqual([[], 0]);
    const idle = createBench({ maxAgeMs: MAX_AGE_MS });
    await idle.batcher.dropExpired();
    expect(idle.clock.timers).toBe(0);
  });

  it('keeps nobody waiting for what it drops', async () => {
    const { batcher, write, recoverAt, clock, backlog } = createBench({ maxAgeMs: MAX_AGE_MS });
    await recoverAt([clock.now()], '1');
    await write('2', '3');
    const flushed = backlog.epochs.turn(new AbortController().signal);
    await clock.advance(MAX_AGE_MS + 1);
    await batcher.dropExpired();
    await flushed;
    expect(backlog.pending).toBe(0);
  });

  it('looks again by itself, with one timer, until nothing waits', async () => {
    const { batcher, write, clock, due } = createBench({ maxAgeMs: MAX_AGE_MS, maxWaitMs: 1_000_000 });
    await write('1');
    await batcher.dropExpired();
    await batcher.dropExpired();
    expect(clock.timers).toBe(1);
    await clock.advance(MAX_AGE_MS / 20 - 1);
    expect(due()).toBe(0);
    await clock.advance(1);
    expect(due()).toBe(1);
    await batcher.dropExpired();
    expect(clock.timers).toBe(1);
    batcher.stop();
    expect(clock.timers).toBe(0);
  });

  it('leaves alone what cannot be read now', async () => {
    const { batcher, recoverAt, clock, expired, journal, backlog } = createBench({ maxAgeMs: MAX_AGE_MS });
    await recoverAt([clock.now()], '1');
    await clock.advance(MAX_AGE_MS + 1);
    journal.failReads = true;
    await expect(batcher.dropExpired()).rejects.toThrow('scripted');
    batcher.holdStored();
    await clock.advance(999);
    await batcher.dropExpired();
    expect([expired, backlog.stored]).toEqual([[], 1]);
    journal.failReads = false;
    await clock.advance(1);
    await batcher.dropExpired();
    expect([expired, backlog.stored]).toEqual([[1], 0]);
  });

  it('has counted what it drops before the journal is told, which may fail', async () => {
    const { batcher, write, clock, expired, journal, backlog } = createBench({ maxAgeMs: MAX_AGE_MS });
    await write('1');
    await clock.advance(MAX_AGE_MS + 1);
    journal.failAcknowledgements = true;
    await expect(batcher.dropExpired()).rejects.toThrow('scripted');
    expect([expired, backlog.pending]).toEqual([[1], 0]);
  });

  it('tells of a batch when all of it will be too old', async () => {
    const { batcher, write, recover, clock } = createBench({ maxAgeMs: MAX_AGE_MS, maxWaitMs: 0 });
    await write('1');
    await clock.advance(100);
    await write('2');
    const batch = await batcher.next();
    await recover('3');
    const ageless = await batcher.next();
    if (batch === undefined || ageless === undefined) throw new Error('there is no batch');
    expect(batcher.expiresInMs(batch)).toBe(MAX_AGE_MS + 1);
    await clock.advance(MAX_AGE_MS);
    expect(batcher.expiresInMs(batch)).toBe(1);
    await clock.advance(100 * MAX_AGE_MS);
    expect(batcher.expiresInMs(batch)).toBe(0);
    expect(batcher.expiresInMs(ageless)).toBeUndefined();
  });

  it('tells of no batch when it is too old where there is no bound', async () => {
    const { batcher, write } = createBench({ maxWaitMs: 0 });
    await write('1');
    const batch = await batcher.next();
    expect(batch && batcher.expiresInMs(batch)).toBeUndefined();
  });
});

describe('Batcher, while the journal gives up a segment', () => {
  it.each([undefined, 10_000])('takes nothing of what it reads just then (maxAgeMs %s)', async (maxAgeMs) => {
    const { batcher, recover, journal, backlog, damaged, expired } = createBench({ maxAgeMs });
    const { segment } = await recover('1', '2');
    const release = journal.hangReads();
    const next = maxAgeMs === undefined ? batcher.next() : batcher.dropExpired();
    await settle();
    expect(backlog.evict(segment)).toBe(2);
    release();
    expect(await next).toBeUndefined();
    expect([backlog.pending, backlog.inFlight, damaged, expired]).toEqual([0, 0, [], []]);
  });

  it('goes on to what is behind it', async () => {
    const { batcher, recover, journal, backlog, next } = createBench();
    const { segment } = await recover('1', '2');
    const behind = await journal.append(toEventBytes(['3', '4']));
    backlog.evict(segment);
    backlog.addRecovered(behind);
    await recover();
    backlog.addRecovered({ segment: 99, from: 0, to: 2 });
    const release = journal.hangReads();
    const first = batcher.next();
    await settle();
    expect(backlog.evict(99)).toBe(2);
    release();
    expect(textsOf(await first)).toEqual(['3', '4']);
    expect(await next()).toBeUndefined();
  });
});

describe('Batcher, where order is strict', () => {
  it('sends what is stored, which is older, before what is not', async () => {
    const { next, recover, write } = createBench({ maxEvents: 2, isStrict: true });
    await recover('old 1', 'old 2', 'old 3');
    await write('new 1', 'new 2', 'new 3');
    const batches = [];
    for (let count = 0; count < 4; count += 1) batches.push(await next());
    expect(batches).toEqual([['old 1', 'old 2'], ['old 3'], ['new 1', 'new 2'], undefined]);
  });

  it('sends nothing past what is stored and cannot be read now', async () => {
    const { next, recover, write, batcher, clock, journal } = createBench({ maxEvents: 2, isStrict: true });
    await recover('old 1');
    await write('new 1', 'new 2');
    journal.failReads = true;
    await expect(next()).rejects.toThrow('scripted');
    batcher.holdStored();
    journal.failReads = false;
    expect(await next()).toBeUndefined();
    await clock.advance(1_000);
    expect([await next(), await next()]).toEqual([['old 1'], ['new 1', 'new 2']]);
  });

  it('reads on where it was, not others that may be readable', async () => {
    const { next, recover, batcher, backlog, clock } = createBench({ maxEvents: 2, isStrict: true });
    await recover('1');
    backlog.epochs.turn(new AbortController().signal);
    await recover('2');
    batcher.holdStored();
    await clock.advance(1_000);
    expect([await next(), await next()]).toEqual([['1'], ['2']]);
  });

  it('goes past what is stored and lost', async () => {
    const { next, recover, write, journal, damaged } = createBench({ maxEvents: 2, isStrict: true });
    const range = await recover('old 1', 'old 2');
    journal.damage(range);
    await write('new 1', 'new 2');
    expect(await next()).toEqual(['new 1', 'new 2']);
    expect(damaged).toEqual([2]);
  });
});

describe('Batcher, asked for less than a batch may hold', () => {
  it('takes so many, of fresh events and of stored ones', async () => {
    const { next, recover, write } = createBench({ maxEvents: 5 });
    await recover('old 1', 'old 2', 'old 3');
    await write('new 1', 'new 2', 'new 3', 'new 4', 'new 5');
    expect([await next(2), await next(2)]).toEqual([
      ['old 1', 'old 2'],
      ['new 1', 'new 2'],
    ]);
  });

  it('takes no more than a batch may hold where it is asked for more', async () => {
    const { next, write } = createBench({ maxEvents: 3 });
    await write('1', '2', '3', '4');
    expect(await next(10)).toEqual(['1', '2', '3']);
  });

  it('does not take fresh events before they are due', async () => {
    const { next, write } = createBench({ maxEvents: 5 });
    await write('1', '2');
    expect(await next(1)).toBeUndefined();
  });
});

describe('Batcher, where the service takes no large bodies', () => {
  it('makes batches of no more bytes than are known to go, fresh ones and stored ones', async () => {
    const { batcher, recover, write, sizeLimit } = createBench({ maxEvents: 100 });
    sizeLimit.refused(100, 0);
    const texts = Array.from({ length: 20 }, (_, number) => `"event ${number}"`);
    await recover(...texts);
    await write(...texts);
    for (let count = 0; count < 8; count += 1) {
      const batch = await batcher.next();
      expect(batch?.body.length).toBeLessThanOrEqual(50);
      expect(batch?.events.ends.length).toBeGreaterThan(1);
    }
  });

  it('has fresh events due as soon as there are so many bytes', async () => {
    const { next, write, sizeLimit } = createBench({ maxEvents: 100 });
    await write('"event 1"', '"event 2"', '"event 3"', '"event 4"');
    expect(await next()).toBeUndefined();
    sizeLimit.refused(80, 0);
    expect(await next()).toEqual(['"event 1"', '"event 2"']);
  });

  it('sends one event alone that has more', async () => {
    const { next, write, sizeLimit } = createBench({ maxEvents: 2 });
    sizeLimit.refused(2, 0);
    await write('"much more than that"', '2');
    expect(await next()).toEqual(['"much more than that"']);
  });
});
