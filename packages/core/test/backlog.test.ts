import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backlog, MEMORY_SEGMENT } from '../src/backlog.ts';
import type { EventBytes } from '../src/journal.ts';
import type { EpochRange } from '../src/range-queue.ts';
import { toTexts } from './event-texts.ts';
import { textWriter } from './text-writer.ts';
import { settle } from './virtual-clock.ts';

const ALL = { maxEvents: 1_000_000, maxBytes: 1_000_000 };

function createBacklog(maxEvents = 10): Backlog {
  return new Backlog({ maxEvents, maxBytes: 10_000 }, textWriter);
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
    backlog.settle(batch.range);
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
    void backlog.epochs.turn().then(() => {
      isDone = true;
    });
    await settle();
    expect(isDone).toBe(true);
    expect(backlog.peekStored()).toBeUndefined();
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
      let inFlight: EpochRange[] = [];
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
        // Whatever went on meanwhile: these bytes were not to change.
        expect(toTexts(group)).toEqual(texts);
        const from = disk.length;
        if (isKept) disk.push(...texts);
        if (isKept) backlog.markWritten({ segment: 1, from, to: disk.length });
        else backlog.markMemoryOnly(texts.length);
      };
      const takeFresh = (maxEvents: number): void => {
        if (backlog.fresh === 0) return;
        const { events, range } = backlog.takeFresh({ ...ALL, maxEvents });
        const texts = toTexts(events);
        taken.push(...texts);
        inFlight.push(range);
        expect(range.to - range.from).toBe(texts.length);
        if (range.segment !== MEMORY_SEGMENT) expect(disk.slice(range.from, range.to)).toEqual(texts);
      };
      const takeStored = (most: number): void => {
        const first = backlog.peekStored();
        if (first === undefined) return;
        const range = backlog.takeStored(Math.min(most, first.to - first.from));
        taken.push(...disk.slice(range.from, range.to));
        inFlight.push(range);
      };
      const settleOne = (pick: number): void => {
        const range = inFlight[pick % Math.max(1, inFlight.length)];
        if (range === undefined) return;
        inFlight = inFlight.filter((other) => other !== range);
        settled += range.to - range.from;
        backlog.settle(range);
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
        else void backlog.epochs.turn();
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
      await backlog.epochs.turn();
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
