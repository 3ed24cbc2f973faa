import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { Latencies } from '../../src/tell/latencies.ts';

describe('Latencies', () => {
  it('are all 0 where none was measured', () => {
    expect(new Latencies().stats).toEqual({ p50: 0, p90: 0, p99: 0, max: 0 });
  });

  it('tell how long so many parts of all took at the most', () => {
    const latencies = new Latencies();
    for (let number = 100; number >= 1; number -= 1) latencies.add(number);
    expect(latencies.stats).toEqual({ p50: 50, p90: 90, p99: 99, max: 100 });
  });

  it('are of the last 500', () => {
    const latencies = new Latencies();
    for (let count = 0; count < 700; count += 1) latencies.add(count < 200 ? 1_000 : count % 10);
    expect(latencies.stats).toEqual({ p50: 4, p90: 8, p99: 9, max: 9 });
  });

  it('are what was measured, in order, whatever that is', () => {
    const property = fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 1_200 }), (values) => {
      const latencies = new Latencies();
      for (const value of values) latencies.add(value);
      const last = values.slice(-500);
      const { p50, p90, p99, max } = latencies.stats;
      expect(max).toBe(Math.max(...last));
      expect([p50, p90, p99]).toEqual([p50, p90, p99].toSorted((a, b) => a - b));
      for (const [part, value] of [
        [0.5, p50],
        [0.9, p90],
        [0.99, p99],
      ] as const) {
        expect(last).toContain(value);
        expect(last.filter((each) => each <= value).length).toBeGreaterThanOrEqual(part * last.length);
        expect(last.filter((each) => each < value).length).toBeLessThan(part * last.length);
      }
    });
    fc.assert(property, { numRuns: cases(100) });
  });
});
