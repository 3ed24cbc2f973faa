import { describe, expect, it } from 'vitest';
import { backoffDelayMs } from '../../src/toolbox/index.ts';

const BACKOFF = { baseMs: 500, maxMs: 60_000 };

describe('the wait before a retry', () => {
  it('is bounded by a base that doubles with every failure, up to the maximum', () => {
    const one = (): number => 1;
    const bounds = [0, 1, 2, 3, 6, 7, 8, 50].map((failures) => backoffDelayMs(failures, BACKOFF, one));
    expect(bounds).toEqual([500, 1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('is anything from zero to that bound: full jitter', () => {
    expect(backoffDelayMs(5, BACKOFF, () => 0)).toBe(0);
    expect(backoffDelayMs(2, BACKOFF, () => 0.25)).toBe(500);
    for (let failures = 0; failures < 100; failures += 1) {
      const delayMs = backoffDelayMs(failures, BACKOFF, Math.random);
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThan(60_000);
    }
  });

  it.each([64, 1023, 1024, 1e9, Number.MAX_SAFE_INTEGER])('is a number after %d failures', (failures) => {
    expect(backoffDelayMs(failures, BACKOFF, () => 0.5)).toBe(30_000);
    expect(backoffDelayMs(failures, { baseMs: 0, maxMs: 60_000 }, () => 0.5)).toBe(0);
  });
});
