import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { latencyOf } from '../../src/tell/latencies.ts';

describe('the quantiles of durations', () => {
  it('are all 0 where none was measured', () => {
    expect(latencyOf([])).toEqual({ p50: 0, p90: 0, p99: 0, max: 0 });
  });

  it('tell how long so many parts of all took at the most', () => {
    const durations = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(latencyOf(durations)).toEqual({ p50: 50, p90: 90, p99: 99, max: 100 });
  });

  it('are what was measured, in order, whatever that is', () => {
    const property = fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 1_200 }), (values) => {
      const { p50, p90, p99, max } = latencyOf(values);
      expect(max).toBe(Math.max(...values));
      expect([p50, p90, p99]).toEqual([p50, p90, p99].toSorted((a, b) => a - b));
      for (const [part, value] of [
        [0.5, p50],
        [0.9, p90],
        [0.99, p99],
      ] as const) {
        expect(values).toContain(value);
        expect(values.filter((each) => each <= value).length).toBeGreaterThanOrEqual(part * values.length);
        expect(values.filter((each) => each < value).length).toBeLessThan(part * values.length);
      }
    });
    fc.assert(property, { numRuns: cases(100) });
  });
});
