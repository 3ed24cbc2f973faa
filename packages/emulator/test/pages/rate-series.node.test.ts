import { describe, expect, it } from 'vitest';
import { toSeries } from '../../pages/tracker/rate-series.ts';

describe("the chart's series", () => {
  it('have each of the last 300 seconds', () => {
    const rates = [
      { second: 600, counts: { old: 9 } },
      { second: 1_000, counts: { a: 2, b: 1 } },
      { second: 1_002, counts: { b: 4 } },
    ];
    const series = toSeries(rates, new Map());
    expect(series).toMatchObject([
      { name: 'b', total: 5 },
      { name: 'a', total: 2 },
    ]);
    expect(series[0]?.counts).toHaveLength(300);
    expect(series.map(({ counts }) => counts.slice(-3))).toEqual([
      [1, 0, 4],
      [2, 0, 0],
    ]);
    expect(toSeries(rates, new Map(), 'a')).toMatchObject([{ name: 'a', total: 2 }]);
  });

  it('put what is rare under one name', () => {
    const counts = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 4, g: 3, '': 2, constructor: 1 };
    const series = toSeries([{ second: 1, counts }], new Map());
    expect(series.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', '']);
    expect(series.at(-1)?.total).toBe(10);
  });

  it('leave a name its colour, whatever its rank is', () => {
    const colours = new Map<string, number>();
    const coloursOf = (counts: Record<string, number>) => {
      const series = toSeries([{ second: 1, counts }], colours);
      return Object.fromEntries(series.map(({ name, colour }) => [name, colour]));
    };
    expect(coloursOf({ a: 9, b: 8, c: 7 })).toEqual({ a: 0, b: 1, c: 2 });
    expect(coloursOf({ c: 9, b: 8, a: 7 })).toEqual({ a: 0, b: 1, c: 2 });
    expect(coloursOf({ c: 9, x: 8, a: 7 })).toEqual({ a: 0, x: 1, c: 2 });
    expect(coloursOf({ c: 9 })).toEqual({ c: 2 });
    expect(coloursOf({ c: 9, b: 8 })).toEqual({ b: 0, c: 2 });
  });

  it('are none before anything has come', () => {
    expect(toSeries([], new Map())).toEqual([]);
  });
});
