import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventBytes } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import type { Reading } from '../../src/keep/journal.ts';
import { Backlog, MEMORY_SEGMENT } from '../../src/wait/backlog.ts';
import { type Batch, splitBatch } from '../../src/wait/batch.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';
import { settle } from '../bench/virtual-clock.ts';

const ALL = { maxEvents: 1_000_000, maxBytes: 1_000_000 };

function createBacklog(maxEvents = 10): Backlog {
  return new Backlog({ maxEvents, maxBytes: 10_000 }, textWriter);
}

/** What a journal reads from a range. */
function readingOf(texts: readonly string[], range: Range): Reading {
  return { events: toEventBytes(texts), range };
}

describe('Backlog', () => {
  it('counts where events wait', () => {
    const backlog = createBacklog();
    for (const text of ['1', '2', '3', '4']) backlog.push(text, 0);
    backlog.markWritten({ segment: 1, from: 0, to: 2 });
    backlog.addRecovered({ segment: 2, from: 0, to: 5 });
    const batch = backlog.takeFresh({ ...ALL, maxEvents: 1 });
    const { pending, unwritten, fresh, stored, inFlight } = backlog;
    expect({ pending, unwritten, fresh, stored, inFlight }).toEqual({
      pending: 9,
      unwritten: 2,
      fresh: 1,
      stored: 5,
      inFlight: 1,
    });
    backlog.settle(batch);
    expect(backlog.pending).toBe(8);
  });

  it('has no group to write where all is written', () => {
    const backlog = createBacklog();
    expect(backlog.unwrittenGroup(ALL)).toBeUndefined();
    backlog.push('1', 0);
    backlog.markMemoryOnly(1);
    expect(backlog.unwrittenGroup(ALL)).toBeUndefined();
  });

  it('leaves written events to the journal where memory is full', () => {
    const backlog = createBacklog(3);
    for (const text of ['1', '2', '3']) backlog.push(text, 0);
    backlog.markWritten({ segment: 1, from: 0, to: 2 });
    expect(backlog.push('4', 0)).toBe(true);
    expect([backlog.stored, backlog.unwritten, backlog.pending]).toEqual([2, 2, 4]);
    expect(backlog.peekStored()).toMatchObject({ segment: 1, from: 0, to: 2 });
  });

  it('keeps at most 16 MiB of what is written in memory, and all that is not written', () => {
    const text = 'x'.repeat(1024 * 1024 - 1);
    const backlog = new Backlog({ maxEvents: 1_000, maxBytes: 64 * 1024 * 1024 }, textWriter);
    for (let count = 0; count < 60; count += 1) expect(backlog.push(text, 0)).toBe(true);
    expect([backlog.unwritten, backlog.stored]).toEqual([60, 0]);
    backlog.markWritten({ segment: 1, from: 0, to: 40 });
    expect([backlog.unwritten, backlog.fresh, backlog.stored]).toEqual([20, 17, 23]);
    expect(backlog.pending).toBe(60);
  });

  it('leaves all but the newest to the journal when it is told to, as far as that holds them', () => {
    const backlog = createBacklog();
    for (const text of ['1', '2', '3', '4', '5']) backlog.push(text, 0);
    backlog.markWritten({ segment: 1, from: 0, to: 4 });
    backlog.leaveToJournal(1);
    expect([backlog.stored, backlog.fresh, backlog.unwritten, backlog.pending]).toEqual([3, 1, 1, 5]);
    expect(backlog.peekStored()).toMatchObject({ segment: 1, from: 0, to: 3 });
    backlog.leaveToJournal(1);
    expect([backlog.stored, backlog.fresh]).toEqual([3, 1]);
  });

  it('accepts no more where memory is full of what no journal holds, and changes nothing then', () => {
    const backlog = createBacklog(2);
    backlog.push('1', 0);
    backlog.push('2', 0);
    expect(backlog.push('3', 0)).toBe(false);
    backlog.markMemoryOnly(2);
    expect(backlog.push('3', 0)).toBe(false);
    expect([backlog.accepted, backlog.pending, backlog.stored]).toEqual([2, 2, 0]);
  });

  it('accepts again once events were taken', () => {
    const backlog = createBacklog(2);
    backlog.push('1', 0);
    backlog.push('2', 0);
    backlog.markMemoryOnly(2);
    expect(toTexts(backlog.takeFresh({ ...ALL, maxEvents: 1 }).events)).toEqual(['1']);
    expect(backlog.push('3', 0)).toBe(true);
    expect(backlog.pending).toBe(3);
  });

  it('waits for no one where a range without events was recovered', async () => {
    const backlog = createBacklog();
    backlog.addRecovered({ segment: 1, from: 3, to: 3 });
    let isDone = false;
    void backlog.epochs.turn(new AbortController().signal).then(() => {
      isDone = true;
    });
    await settle();
    expect(isDone).toBe(true);
    expect(backlog.peekStored()).toBeUndefined();
  });
});

describe('Backlog, with events that end before they are sent', () => {
  /** A backlog that has accepted this many events. The text of each is its number, from 1, and so is its time. */
  function createFilled(count: number): Backlog {
    const backlog = createBacklog(100);
    for (let number = 1; number <= count; number += 1) backlog.push(`${number}`, number);
    return backlog;
  }

  function counts({ pending, unwritten, fresh, stored, inFlight }: Backlog): number[] {
    return [pending, unwritten, fresh, stored, inFlight];
  }

  /** Takes all fresh events, batch by batch, and leaves them in flight. */
  function takeAll(backlog: Backlog): string[][] {
    const batches: string[][] = [];
    while (backlog.fresh > 0) batches.push(toTexts(backlog.takeFresh(ALL).events));
    return batches;
  }

  it('lets go at once of what is dropped where it is the oldest', () => {
    const backlog = createFilled(4);
    backlog.dropUnwritten(3);
    expect(counts(backlog)).toEqual([1, 1, 0, 0, 0]);
    expect([backlog.bytes, backlog.oldestAt, backlog.written]).toEqual([1, 4, 3]);
    expect(
      toTexts(backlog.unwrittenGroup(ALL) ?? { bytes: new Uint8Array(), ends: new Uint32Array() }),
    ).toEqual(['4']);
  });

  it('sends what is around it where what is dropped lies in the middle', () => {
    const backlog = createFilled(6);
    backlog.markWritten({ segment: 1, from: 0, to: 2 });
    backlog.dropUnwritten(2);
    backlog.markWritten({ segment: 1, from: 2, to: 4 });
    expect(counts(backlog)).toEqual([4, 0, 4, 0, 0]);
    expect(takeAll(backlog)).toEqual([
      ['1', '2'],
      ['5', '6'],
    ]);
    expect(counts(backlog)).toEqual([4, 0, 0, 0, 4]);
    expect(backlog.bytes).toBe(0);
  });

  it('spills what is around it', () => {
    const backlog = createBacklog(4);
    for (const text of ['1', '2', '3', '4']) backlog.push(text, 0);
    backlog.markWritten({ segment: 1, from: 0, to: 1 });
    backlog.dropUnwritten(2);
    backlog.markWritten({ segment: 1, from: 1, to: 2 });
    // The end of the first event makes room for three.
    for (const text of ['5', '6', '7']) expect(backlog.push(text, 0)).toBe(true);
    expect(counts(backlog)).toEqual([5, 3, 1, 1, 0]);
    expect(backlog.push('8', 0)).toBe(true);
    expect(backlog.peekStored()).toMatchObject({ segment: 1, from: 0, to: 2 });
  });

  it('ends what waits in a segment that the journal gave up, stored or in memory', () => {
    const backlog = createFilled(6);
    backlog.addRecovered({ segment: 7, from: 0, to: 5 });
    backlog.addRecovered({ segment: 8, from: 0, to: 3 });
    backlog.markWritten({ segment: 7, from: 5, to: 7 });
    backlog.markWritten({ segment: 9, from: 0, to: 2 });
    expect(backlog.evict(7)).toBe(7);
    expect(counts(backlog)).toEqual([7, 2, 2, 3, 0]);
    expect(backlog.peekStored()).toMatchObject({ segment: 8 });
    expect(takeAll(backlog)).toEqual([['3', '4']]);
    expect(backlog.evict(7)).toBe(0);
  });

  it('gives up the middle of what is in memory, and keeps what is around it in its order', () => {
    const backlog = createFilled(6);
    for (const segment of [1, 2, 3]) backlog.markWritten({ segment, from: 0, to: 2 });
    expect(backlog.evict(2)).toBe(2);
    expect(counts(backlog)).toEqual([4, 0, 4, 0, 0]);
    expect(takeAll(backlog)).toEqual([
      ['1', '2'],
      ['5', '6'],
    ]);
  });

  it('lets what is in flight of a segment go on, in memory alone', () => {
    const backlog = createFilled(4);
    backlog.markWritten({ segment: 1, from: 0, to: 4 });
    const batch = backlog.takeFresh({ ...ALL, maxEvents: 2 });
    expect(backlog.evict(1)).toBe(2);
    expect(counts(backlog)).toEqual([2, 0, 0, 0, 2]);
    expect([backlog.memoryOnly, backlog.volatile]).toEqual([2, 2]);
    const [first, second] = splitBatch(batch);
    backlog.batches.delete(batch);
    backlog.settle(first);
    expect([backlog.memoryOnly, backlog.pending]).toEqual([1, 1]);
    backlog.settle(second);
    expect([backlog.memoryOnly, backlog.pending]).toEqual([0, 0]);
  });

  it('knows what is in flight to be in the journal again where that has it in another segment', () => {
    const backlog = createFilled(2);
    backlog.markWritten({ segment: 1, from: 0, to: 2 });
    const batch = backlog.takeFresh(ALL);
    backlog.evict(1);
    backlog.moveInFlight(batch, { segment: 2, from: 5, to: 7 });
    expect([backlog.memoryOnly, backlog.volatile, backlog.pending]).toEqual([0, 0, 2]);
    backlog.settle(batch);
    expect([backlog.memoryOnly, backlog.volatile, backlog.pending]).toEqual([0, 0, 0]);
  });

  it('counts what is in flight of a segment once, though it is given up twice', () => {
    const backlog = createFilled(2);
    backlog.markWritten({ segment: 1, from: 0, to: 2 });
    const batch = backlog.takeFresh(ALL);
    expect([backlog.evict(1), backlog.evict(1)]).toEqual([0, 0]);
    expect([backlog.memoryOnly, backlog.pending]).toEqual([2, 2]);
    backlog.settle(batch);
    expect([backlog.memoryOnly, backlog.pending]).toEqual([0, 0]);
  });

  it('knows what waits by another place, and says which part of that is for what does not wait any more', () => {
    const backlog = createFilled(6);
    backlog.markWritten({ segment: 1, from: 0, to: 6 });
    backlog.takeFresh({ ...ALL, maxEvents: 2 });
    backlog.end({ segment: 1, from: 3, to: 4 });
    const rest = backlog.move({ segment: 1, from: 0, to: 6 }, { segment: 2, from: 10, to: 16 });
    expect(rest).toMatchObject([
      { segment: 2, from: 10, to: 12 },
      { segment: 2, from: 13, to: 14 },
    ]);
    expect(backlog.waitingIn()).toMatchObject([
      { segment: 2, from: 12, to: 13 },
      { segment: 2, from: 14, to: 16 },
    ]);
  });

  it('counts what is in memory alone as secured, as far as it is still there when the journal has it', () => {
    const backlog = createFilled(4);
    backlog.markMemoryOnly(4);
    const range = backlog.memoryGroup(ALL)?.range ?? { segment: 0, from: 0, to: 0 };
    backlog.takeFresh({ ...ALL, maxEvents: 1 });
    const rest = backlog.move(range, { segment: 1, from: 0, to: 4 });
    expect(rest).toMatchObject([{ segment: 1, from: 0, to: 1 }]);
    expect([backlog.memoryOnly, backlog.fresh, backlog.inFlight]).toEqual([1, 3, 1]);
    expect(backlog.memoryGroup(ALL)).toBeUndefined();
  });

  it('does not put back what no journal holds any more, and does what it holds', () => {
    const backlog = createFilled(4);
    backlog.markWritten({ segment: 1, from: 0, to: 2 });
    backlog.markWritten({ segment: 2, from: 0, to: 2 });
    const evicted = backlog.takeFresh(ALL);
    const kept = backlog.takeFresh(ALL);
    backlog.evict(1);
    expect([backlog.putBack(evicted), backlog.putBack(kept)]).toEqual([false, true]);
    expect(counts(backlog)).toEqual([4, 0, 0, 2, 2]);
    backlog.settle(evicted);
    expect(backlog.pending).toBe(2);
  });

  it('knows a segment by a number that is used again once nothing of it is in flight', () => {
    const backlog = createFilled(1);
    backlog.markWritten({ segment: 1, from: 0, to: 1 });
    const batch = backlog.takeFresh(ALL);
    backlog.evict(1);
    backlog.settle(batch);
    backlog.addRecovered({ segment: 1, from: 0, to: 1 });
    expect(backlog.putBack(backlog.takeStored(readingOf(['1'], { segment: 1, from: 0, to: 1 })))).toBe(true);
    expect(backlog.memoryOnly).toBe(0);
  });

  it('keeps nobody waiting for what ended', async () => {
    const backlog = createFilled(6);
    backlog.addRecovered({ segment: 7, from: 0, to: 5 });
    backlog.markWritten({ segment: 7, from: 5, to: 7 });
    backlog.dropUnwritten(2);
    backlog.markWritten({ segment: 8, from: 0, to: 2 });
    const settled = backlog.epochs.turn(new AbortController().signal);
    backlog.evict(7);
    backlog.evict(8);
    await settled;
    expect(backlog.pending).toBe(0);
  });

  it('says how many of the oldest in memory came before a moment, as far as a batch goes', () => {
    const backlog = createFilled(10);
    expect(backlog.freshBefore(100, ALL)).toBe(0);
    backlog.markWritten({ segment: 1, from: 0, to: 6 });
    expect(backlog.freshBefore(1, ALL)).toBe(0);
    expect(backlog.freshBefore(2, ALL)).toBe(1);
    expect(backlog.freshBefore(4.5, ALL)).toBe(4);
    expect(backlog.freshBefore(100, ALL)).toBe(6);
    expect(backlog.freshBefore(100, { ...ALL, maxEvents: 3 })).toBe(3);
    expect(backlog.freshBefore(100, { ...ALL, maxBytes: 5 })).toBe(3);
    expect(createBacklog().freshBefore(100, ALL)).toBe(0);
    backlog.sendsUnwritten = true;
    expect(backlog.freshBefore(100, ALL)).toBe(10);
  });

  it('tells what is in memory for good from what is not written yet', () => {
    const backlog = createFilled(5);
    backlog.markWritten({ segment: 1, from: 0, to: 1 });
    backlog.markMemoryOnly(2);
    expect([backlog.memoryOnly, backlog.unwritten, backlog.volatile]).toEqual([2, 2, 4]);
    backlog.takeFresh(ALL);
    const batch = backlog.takeFresh(ALL);
    expect([batch.range.segment, backlog.memoryOnly]).toEqual([MEMORY_SEGMENT, 2]);
    expect(backlog.putBack(batch)).toBe(false);
    backlog.settle(batch);
    expect([backlog.memoryOnly, backlog.volatile]).toEqual([0, 2]);
  });
});

describe('Backlog, next to a journal that is a plain map', () => {
  const amount = fc.integer({ min: 1, max: 6 });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('push' as const), amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('begin write' as const), amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('end write' as const), amount }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail write' as const), amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('take fresh' as const), amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('take stored' as const), amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), amount }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn' as const), amount }) },
  );
  const limits = fc.record({
    maxEvents: fc.integer({ min: 1, max: 12 }),
    maxBytes: fc.integer({ min: 8, max: 90 }),
  });

  it('gives each accepted event out once, whatever happens when, and its counts always add up', async () => {
    const property = fc.asyncProperty(limits, fc.array(step, { maxLength: 150 }), async (limits, steps) => {
      const backlog = new Backlog(limits, textWriter);
      const disk: string[] = [];
      const accepted: string[] = [];
      const taken: string[] = [];
      let inFlight: Batch[] = [];
      let settled = 0;
      let writing: { readonly group: EventBytes; readonly texts: readonly string[] } | undefined;

      const beginWrite = (maxEvents: number): void => {
        const group = writing === undefined ? backlog.unwrittenGroup({ ...ALL, maxEvents }) : undefined;
        if (group !== undefined) writing = { group, texts: toTexts(group) };
      };
      const endWrite = (isKept: boolean): void => {
        if (writing === undefined) return;
        const { group, texts } = writing;
        writing = undefined;
        // Whatever has happened meanwhile, these bytes must not have changed.
        expect(toTexts(group)).toEqual(texts);
        const from = disk.length;
        if (isKept) disk.push(...texts);
        if (isKept) backlog.markWritten({ segment: 1, from, to: disk.length });
        else backlog.markMemoryOnly(texts.length);
      };
      const takeFresh = (maxEvents: number): void => {
        if (backlog.fresh === 0) return;
        const batch = backlog.takeFresh({ ...ALL, maxEvents });
        const { events, range } = batch;
        const texts = toTexts(events);
        taken.push(...texts);
        inFlight.push(batch);
        expect(range.to - range.from).toBe(texts.length);
        if (range.segment !== MEMORY_SEGMENT) expect(disk.slice(range.from, range.to)).toEqual(texts);
      };
      const takeStored = (most: number): void => {
        const first = backlog.peekStored();
        if (first === undefined) return;
        const range = { ...first, to: Math.min(first.from + most, first.to) };
        const texts = disk.slice(range.from, range.to);
        taken.push(...texts);
        inFlight.push(backlog.takeStored(readingOf(texts, range)));
      };
      const settleOne = (pick: number): void => {
        const batch = inFlight[pick % Math.max(1, inFlight.length)];
        if (batch === undefined) return;
        inFlight = inFlight.filter((other) => other !== batch);
        settled += batch.events.ends.length;
        backlog.settle(batch);
      };

      for (const { kind, amount } of steps) {
        if (kind === 'push') {
          for (let count = 0; count < amount; count += 1) {
            const text = `${accepted.length}${'é'.repeat(amount)}`;
            if (backlog.push(text, 0)) accepted.push(text);
          }
        } else if (kind === 'begin write') beginWrite(amount);
        else if (kind === 'end write') endWrite(true);
        else if (kind === 'fail write') endWrite(false);
        else if (kind === 'take fresh') takeFresh(amount);
        else if (kind === 'take stored') takeStored(amount);
        else if (kind === 'settle') settleOne(amount);
        else void backlog.epochs.turn(new AbortController().signal);
        expect(backlog.accepted).toBe(accepted.length);
        expect(backlog.pending).toBe(accepted.length - settled);
        expect(backlog.unwritten + backlog.fresh + backlog.stored + backlog.inFlight).toBe(backlog.pending);
        expect(backlog.written + backlog.unwritten).toBe(accepted.length);
      }

      endWrite(true);
      while (backlog.pending > 0) {
        beginWrite(5);
        endWrite(true);
        takeFresh(5);
        takeStored(5);
        settleOne(0);
      }
      expect(taken.toSorted()).toEqual(accepted.toSorted());
      await backlog.epochs.turn(new AbortController().signal);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

describe('Backlog, next to a journal that gives up segments', () => {
  const amount = fc.integer({ min: 1, max: 6 });
  const kind = fc.constantFrom(
    ...(['push', 'push', 'push', 'write', 'write', 'fail', 'drop', 'recover', 'evict'] as const),
    ...(['take fresh', 'take fresh', 'take stored', 'put back', 'deliver', 'deliver', 'turn'] as const),
  );
  const steps = fc.array(fc.record({ kind, amount }), { maxLength: 200 });

  it('has each event pending until it is delivered or dropped, once, whatever happens when', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 2, max: 12 }), steps, async (maxEvents, steps) => {
      const backlog = new Backlog({ maxEvents, maxBytes: 1_000 }, textWriter);
      /** The segments that the journal has, each with its events. */
      const segments = new Map<number, string[]>();
      const delivered: string[] = [];
      let inFlight: { readonly batch: Batch; readonly texts: string[] }[] = [];
      let taken = 0;
      let dropped = 0;
      let last = 0;

      const newTexts = (count: number) => Array.from({ length: count }, () => `${++taken}`);
      const unwritten = (count: number) => {
        const group = backlog.unwrittenGroup({ ...ALL, maxEvents: count });
        return group === undefined ? [] : toTexts(group);
      };
      const segmentFor = (amount: number) => {
        const open = amount % 2 === 0 && segments.has(last);
        if (!open) segments.set(++last, []);
        return segments.get(last) ?? [];
      };
      const act: Record<(typeof steps)[number]['kind'], (amount: number) => void> = {
        push(amount) {
          for (const text of newTexts(amount)) if (!backlog.push(text, 0)) dropped += 1;
        },
        write(amount) {
          const texts = unwritten(amount);
          if (texts.length === 0) return;
          const segment = segmentFor(amount);
          backlog.markWritten({ segment: last, from: segment.length, to: segment.push(...texts) });
        },
        fail: (amount) => backlog.markMemoryOnly(unwritten(amount).length),
        drop(amount) {
          const { length } = unwritten(amount);
          if (length > 0) backlog.dropUnwritten(length);
          dropped += length;
        },
        recover(amount) {
          segments.set(++last, newTexts(amount));
          backlog.addRecovered({ segment: last, from: 0, to: amount });
        },
        evict(amount) {
          const number = [...segments.keys()][amount % Math.max(1, segments.size)];
          if (number === undefined) return;
          segments.delete(number);
          dropped += backlog.evict(number);
        },
        'take fresh'(maxEvents) {
          if (backlog.fresh === 0) return;
          const batch = backlog.takeFresh({ ...ALL, maxEvents });
          const { events, range } = batch;
          const texts = toTexts(events);
          const stored = segments.get(range.segment)?.slice(range.from, range.to);
          expect(stored ?? texts).toEqual(texts);
          expect(range.segment === MEMORY_SEGMENT || stored !== undefined).toBe(true);
          inFlight.push({ batch, texts });
        },
        'take stored'(most) {
          const first = backlog.peekStored();
          if (first === undefined) return;
          const range = { ...first, to: Math.min(first.from + most, first.to) };
          const texts = segments.get(range.segment)?.slice(range.from, range.to) ?? [];
          inFlight.push({ batch: backlog.takeStored(readingOf(texts, range)), texts });
        },
        'put back'(amount) {
          const one = inFlight[amount % Math.max(1, inFlight.length)];
          if (one === undefined) return;
          const isHeld = segments.has(one.batch.range.segment);
          expect(backlog.putBack(one.batch)).toBe(isHeld);
          if (isHeld) inFlight = inFlight.filter((other) => other !== one);
        },
        deliver(amount) {
          const one = inFlight[amount % Math.max(1, inFlight.length)];
          if (one === undefined) return;
          inFlight = inFlight.filter((other) => other !== one);
          backlog.settle(one.batch);
          delivered.push(...one.texts);
        },
        turn: () => void backlog.epochs.turn(new AbortController().signal),
      };

      for (const { kind, amount } of steps) {
        act[kind](amount);
        const { pending, unwritten, fresh, stored, memoryOnly } = backlog;
        expect(delivered.length + dropped + pending).toBe(taken);
        expect(unwritten + fresh + stored + backlog.inFlight).toBe(pending);
        expect(memoryOnly).toBeLessThanOrEqual(pending);
      }

      while (backlog.pending > 0) {
        for (const kind of ['write', 'take fresh', 'take stored', 'deliver'] as const) act[kind](5);
      }
      expect(new Set(delivered).size).toBe(delivered.length);
      expect(delivered.length + dropped).toBe(taken);
      expect([backlog.memoryOnly, backlog.bytes, backlog.volatile]).toEqual([0, 0, 0]);
      await backlog.epochs.turn(new AbortController().signal);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
