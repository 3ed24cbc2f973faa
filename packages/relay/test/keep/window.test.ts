import { describe, expect, it } from 'vitest';
import { Window } from '../../src/keep/window.ts';

const keyOf = (number: number) => ({
  words: Uint32Array.of(Math.imul(number, 2_654_435_761) >>> 0 || 1, number, 0),
  at: 0,
});
const KEEP_MS = 1_000;

describe('a window', () => {
  it('knows each id for its time at least, at any rate that fits', () => {
    const window = new Window({ keepMs: KEEP_MS, bytes: 34 * 8_000 }, 0);
    // Two in a millisecond: 4,000 in a generation.
    const forgotten: number[] = [];
    const invented: number[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (let number = 0; number < 20_000; number += 1) {
      const now = number / 2;
      window.add(keyOf(number), now);
      const oldest = Math.max(0, number - 2 * KEEP_MS + 1);
      for (const one of [oldest, Math.floor((oldest + number) / 2)])
        if (!window.has(keyOf(one))) forgotten.push(one);
      if (window.has(keyOf(number + 1))) invented.push(number + 1);
      if (now > KEEP_MS) least = Math.min(least, window.coversMs(now));
    }
    expect({ forgotten, invented }).toEqual({ forgotten: [], invented: [] });
    expect(least).toBeGreaterThanOrEqual(KEEP_MS);
    expect(window.has(keyOf(0))).toBe(false);
    expect(window.generation).toBe(4);
  });

  it('covers less time when it is full, says so, and forgets no id of that time', () => {
    const window = new Window({ keepMs: 1_000_000, bytes: 34 * 100 }, 0);
    const { length } = Array.from({ length: 5_000 });
    let least = Number.POSITIVE_INFINITY;
    const forgotten: number[] = [];
    for (let now = 0; now < length; now += 1) {
      window.add(keyOf(now), now);
      const covered = window.coversMs(now);
      if (now > 500) least = Math.min(least, covered);
      for (let ago = 0; ago < covered; ago += 7) if (!window.has(keyOf(now - ago))) forgotten.push(now - ago);
    }
    expect(forgotten).toEqual([]);
    expect(least).toBeGreaterThanOrEqual(49);
    expect(least).toBeLessThan(110);
  });

  it('forgets what it was told to forget', () => {
    const window = new Window({ keepMs: KEEP_MS, bytes: 34 * 100 }, 0);
    window.add(keyOf(1), 0);
    window.delete(keyOf(1));
    expect(window.has(keyOf(1))).toBe(false);
  });

  it('forgets that also while the table that has it is being emptied, and nothing else', () => {
    const window = new Window({ keepMs: 1_000_000, bytes: 34 * 1_000 }, 0);
    // 1,000 ids fill a table. After half as many more, the next ones empty it.
    for (let number = 0; number < 1_750; number += 1) window.add(keyOf(number), 0);
    const known = Array.from({ length: 1_750 }, (_, number) => number).filter((number) =>
      window.has(keyOf(number)),
    );
    const isForgotten = (number: number) => number % 3 === 0;
    for (const number of known.filter(isForgotten)) window.delete(keyOf(number));
    const left = known.filter((number) => window.has(keyOf(number)));
    expect(known.filter((number) => number < 1_000).length).toBeGreaterThan(200);
    expect(left).toEqual(known.filter((number) => !isForgotten(number)));
    for (let number = 1_750; number < 5_000; number += 1) window.add(keyOf(number), 0);
    expect([4_700, 4_999].every((number) => window.has(keyOf(number)))).toBe(true);
  });

  it('begins anew after a long silence', () => {
    const window = new Window({ keepMs: KEEP_MS, bytes: 34 * 100 }, 0);
    window.add(keyOf(1), 0);
    window.add(keyOf(2), 10 * KEEP_MS);
    window.add(keyOf(3), 20 * KEEP_MS);
    expect([1, 2, 3].map((number) => window.has(keyOf(number)))).toEqual([false, true, true]);
  });
});
