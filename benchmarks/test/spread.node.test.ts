import { describe, expect, it } from 'vitest';
import { type Demand, demandText, isMet } from '../src/demand.ts';
import { makeRow } from '../src/row.ts';
import { spreadOf } from '../src/spread.ts';

describe('figures', () => {
  it('takes the one in the middle, or between the two in the middle', () => {
    expect(spreadOf([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 });
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 });
    expect(spreadOf([7])).toEqual({ median: 7, min: 7, max: 7 });
  });

  it('leaves the values that it was given in their order', () => {
    const values = [3, 1, 2];
    spreadOf(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('makes ratios within a round, so that a slow round counts on both sides', () => {
    const row = makeRow({
      name: 'delivered',
      unit: 'events/s',
      values: [200, 20, 2_000],
      against: { name: 'bare', values: [100, 10, 1_000] },
      demand: { of: 'ratio', bound: 'at least', limit: 2 },
    });
    expect(row).toMatchObject({ value: 200, ratio: 2, ratioSpread: { min: 2, max: 2 } });
    expect(row).toMatchObject({ demand: 'ratio >= 2', pass: true });
  });

  it('says of a figure without a demand neither that it passed nor that it did not', () => {
    expect(makeRow({ name: 'bare', unit: 'ns', values: [1] })).toMatchObject({ demand: null, pass: null });
  });

  it('holds a demand against the ratio or the value, from one side', () => {
    expect(isMet({ of: 'value', bound: 'at most', limit: 96 }, spreadOf([96]), undefined)).toBe(true);
    expect(isMet({ of: 'value', bound: 'at most', limit: 96 }, spreadOf([96.1]), 0.1)).toBe(false);
    expect(isMet({ of: 'ratio', bound: 'at least', limit: 1.1 }, spreadOf([5]), 1.09)).toBe(false);
    expect(isMet({ of: 'ratio', bound: 'at least', limit: 1.1 }, spreadOf([5]), undefined)).toBe(false);
  });

  it('holds a demand against every run, where one that misses it must not hide behind the median', () => {
    const demand: Demand = { of: 'every value', bound: 'at least', limit: 1000 };
    expect(isMet(demand, spreadOf([1000, 1000, 1000]), undefined)).toBe(true);
    expect(isMet(demand, spreadOf([1000, 1000, 999]), undefined)).toBe(false);
    expect(demandText(demand)).toBe('every run >= 1000');
  });

  it('holds a demand against the ratio or the value, from both sides', () => {
    const demand: Demand = { of: 'ratio', bound: 'between', limits: [0.9, 1.1] };
    expect([0.89, 0.9, 1, 1.1, 1.11].map((ratio) => isMet(demand, spreadOf([5]), ratio))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(demandText(demand)).toBe('ratio 0.9 to 1.1');
  });
});
