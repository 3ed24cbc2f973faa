import { describe, expect, it } from 'vitest';
import { toSeries } from '../../pages/tracker/rate-series.ts';

describe("the chart's series", () => {
  it('have each of the last 300 seconds, and sums on top of each other', () => {
    const series = toSeries(
      [
        { second: 1_000, counts: { a: 2, b: 1 } },
        { second: 1_002, counts: { b: 4 } },
      ],
      [],
    );
    expect(series.names).toEqual(['b', 'a']);
    expect(series.seconds).toHaveLength(300);
    expect(series.seconds.slice(-3)).toEqual([1_000, 1_001, 1_002]);
    expect(series.counts.map((each) => each.slice(-3))).toEqual([
      [1, 0, 4],
      [2, 0, 0],
    ]);
    expect(series.sums.map((each) => each.slice(-3))).toEqual([
      [1, 0, 4],
      [3, 0, 4],
    ]);
    expect(series.totals).toEqual([5, 2]);
  });

  it('put what is rare under one name', () => {
    const counts = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 4, g: 3, '': 2, constructor: 1 };
    const { names, totals } = toSeries([{ second: 1, counts }], []);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e', '']);
    expect(totals.at(-1)).toBe(10);
  });

  it('leave a name its place while it is frequent, so that its colour stays', () => {
    const first = toSeries([{ second: 1, counts: { a: 9, b: 8, c: 7 } }], []).names;
    expect(toSeries([{ second: 2, counts: { c: 9, b: 8, a: 7 } }], first).names).toEqual(first);
    expect(toSeries([{ second: 3, counts: { c: 9, x: 8, a: 7 } }], first).names).toEqual(['a', 'x', 'c']);
    expect(toSeries([{ second: 4, counts: { c: 9 } }], first).names).toEqual(['c']);
  });

  it('tell what is not known from seconds in which nothing came', () => {
    const { gaps, sums } = toSeries(
      [
        { second: 1_000, counts: { a: 2 } },
        { second: 1_001, counts: {} },
        { second: 1_004, counts: { a: 1 } },
        { second: 1_005, counts: null },
      ],
      [],
    );
    expect(gaps).toEqual([
      [1_002, 1_003],
      [1_005, 1_005],
    ]);
    expect(sums[0]?.slice(-6)).toEqual([2, 0, 0, 0, 1, 0]);
  });

  it('are none before anything has come', () => {
    expect(toSeries([], [])).toMatchObject({ names: [], counts: [], sums: [], totals: [], gaps: [] });
  });
});
