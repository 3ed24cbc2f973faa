import { describe, expect, it } from 'vitest';
import { toSeries } from '../../pages/tracker/rate-series.ts';

describe("the chart's series", () => {
  it('have each of the last 300 seconds, and their sums', () => {
    const { seconds, series, sums } = toSeries(
      [
        { second: 1_000, counts: { a: 2, b: 1 } },
        { second: 1_002, counts: { b: 4 } },
      ],
      new Map(),
    );
    expect(seconds).toHaveLength(300);
    expect(seconds.slice(-3)).toEqual([1_000, 1_001, 1_002]);
    expect(series).toMatchObject([
      { name: 'b', total: 5 },
      { name: 'a', total: 2 },
    ]);
    expect(series.map(({ counts }) => counts.slice(-3))).toEqual([
      [1, 0, 4],
      [2, 0, 0],
    ]);
    expect(sums.slice(-3)).toEqual([3, 0, 4]);
  });

  it('put what is rare under one name', () => {
    const counts = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 4, g: 3, '': 2, constructor: 1 };
    const { series } = toSeries([{ second: 1, counts }], new Map());
    expect(series.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', '']);
    expect(series.at(-1)?.total).toBe(10);
  });

  it('leave a name its colour, whatever its rank is', () => {
    const colours = new Map<string, number>();
    const coloursOf = (counts: Record<string, number>) => {
      const { series } = toSeries([{ second: 1, counts }], colours);
      return Object.fromEntries(series.map(({ name, colour }) => [name, colour]));
    };
    expect(coloursOf({ a: 9, b: 8, c: 7 })).toEqual({ a: 0, b: 1, c: 2 });
    expect(coloursOf({ c: 9, b: 8, a: 7 })).toEqual({ a: 0, b: 1, c: 2 });
    expect(coloursOf({ c: 9, x: 8, a: 7 })).toEqual({ a: 0, x: 1, c: 2 });
    expect(coloursOf({ c: 9 })).toEqual({ c: 2 });
    expect(coloursOf({ c: 9, b: 8 })).toEqual({ b: 1, c: 2 });
  });

  it('tell what is not known from seconds in which nothing came', () => {
    const { gaps, sums } = toSeries(
      [
        { second: 1_000, counts: { a: 2 } },
        { second: 1_001, counts: {} },
        { second: 1_004, counts: { a: 1 } },
        { second: 1_005, counts: null },
      ],
      new Map(),
    );
    expect(gaps).toEqual([
      [1_002, 1_003],
      [1_005, 1_005],
    ]);
    expect(sums.slice(-6)).toEqual([2, 0, 0, 0, 1, 0]);
  });

  it('are none before anything has come', () => {
    expect(toSeries([], new Map())).toMatchObject({ series: [], gaps: [] });
  });
});
