import { describe, expect, it } from 'vitest';
import { collect } from '../../../../src/keep/file/segments/segment-reader.ts';
import { toTexts } from '../../../bench/event-texts.ts';
import { framesOf, SEGMENT } from '../frames.ts';

const TEXTS = ['"zero"', '"one"', '"two"', '"three"', '"four"'];
const ALL = { maxEvents: 1_000, maxBytes: 1_000_000 };
const BASE = { ...SEGMENT, baseTime: 1_000 };

function texts(bytes: Buffer, wanted: { from: number; to: number }, limit = ALL, isEnd = true): unknown {
  const { events, count, isBroken } = collect(bytes, isEnd, wanted, limit, BASE);
  return count === 0 ? { isBroken } : toTexts(events);
}

describe('collect', () => {
  it('moves events together, with one comma between two', () => {
    const { events, offset } = collect(framesOf(TEXTS, 0, BASE), true, { from: 0, to: 5 }, ALL, BASE);
    expect(toTexts(events)).toEqual(TEXTS);
    expect([...(events.times ?? [])]).toEqual([1_000, 1_001, 1_002, 1_003, 1_004]);
    expect(offset).toBe(framesOf(TEXTS).length);
  });

  it('takes those that are wanted, passes over those before, and says where it ended', () => {
    const { events, offset } = collect(framesOf(TEXTS), true, { from: 1, to: 3 }, ALL, BASE);
    expect(toTexts(events)).toEqual(['"one"', '"two"']);
    expect(offset).toBe(framesOf(TEXTS.slice(0, 3)).length);
  });

  it('keeps within limits, and takes one event that is larger alone', () => {
    expect(texts(framesOf(TEXTS), { from: 0, to: 5 }, { ...ALL, maxEvents: 2 })).toEqual(TEXTS.slice(0, 2));
    expect(texts(framesOf(TEXTS), { from: 0, to: 5 }, { ...ALL, maxBytes: 12 })).toEqual(TEXTS.slice(0, 2));
    expect(texts(framesOf(TEXTS), { from: 0, to: 5 }, { ...ALL, maxBytes: 11 })).toEqual(TEXTS.slice(0, 1));
    expect(texts(framesOf(TEXTS), { from: 3, to: 5 }, { ...ALL, maxBytes: 1 })).toEqual(['"three"']);
  });

  it('stops before an event that is missing, and says that something is broken where it is the first', () => {
    const bytes = () => Buffer.concat([framesOf(TEXTS.slice(0, 2)), framesOf(TEXTS.slice(3), 3)]);
    expect(texts(bytes(), { from: 0, to: 5 })).toEqual(TEXTS.slice(0, 2));
    expect(texts(bytes(), { from: 2, to: 5 })).toEqual({ isBroken: true });
    expect(texts(bytes(), { from: 3, to: 5 })).toEqual(TEXTS.slice(3));
  });

  it('stops at damage', () => {
    const bytes = () =>
      Buffer.concat([framesOf(TEXTS.slice(0, 2)), Buffer.from('junk'), framesOf(TEXTS.slice(2), 2)]);
    expect(texts(bytes(), { from: 0, to: 5 })).toEqual(TEXTS.slice(0, 2));
    expect(texts(bytes(), { from: 2, to: 5 })).toEqual({ isBroken: true });
  });

  it('passes over damage if it is to, and says which event is the next one that is intact', () => {
    const junk = Buffer.from('junk');
    const parts = [
      framesOf(TEXTS.slice(0, 1)),
      junk,
      framesOf(TEXTS.slice(1, 2), 1),
      junk,
      framesOf(TEXTS.slice(4), 4),
    ];
    const bytes = () => Buffer.concat(parts);
    const wanted = { from: 0, to: 5 };
    const { events, isBroken, next, offset } = collect(bytes(), true, wanted, ALL, BASE, true);
    expect([toTexts(events), isBroken, next]).toEqual([TEXTS.slice(0, 2), false, 4]);
    expect(offset).toBe(bytes().length - framesOf(TEXTS.slice(4)).length);
    expect(collect(bytes(), true, { from: 2, to: 5 }, ALL, BASE, true)).toMatchObject({ count: 0, next: 4 });
  });

  it('says that it needs more where the first event is cut short and more follows', () => {
    const whole = framesOf(TEXTS);
    const { count, isBroken, offset } = collect(whole.subarray(0, -1), false, { from: 4, to: 5 }, ALL, BASE);
    expect({ count, isBroken }).toEqual({ count: 0, isBroken: false });
    expect(offset).toBe(framesOf(TEXTS.slice(0, 4)).length);
  });

  it('gives no age to an event whose age, or whose segment’s base time, is not known', () => {
    const { events } = collect(framesOf(TEXTS), true, { from: 0, to: 5 }, ALL, {
      ...SEGMENT,
      baseTime: Number.NaN,
    });
    expect([...(events.times ?? [])]).toEqual(TEXTS.map(() => Number.NaN));
  });
});
