import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryBudget } from '../../src/pace/retry-budget.ts';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;

/** Makes all retries that are allowed now, up to a limit. Returns their number. */
function spend(budget: RetryBudget, now: number, most = 1_000): number {
  let count = 0;
  for (; count < most && budget.waitMs(now) === 0; count += 1) budget.take();
  return count;
}

describe('RetryBudget', () => {
  it('lets a burst of ten go at once', () => {
    expect(spend(new RetryBudget(0.1, START), START)).toBe(10);
  });

  it('lets one more go every ten seconds', () => {
    const budget = new RetryBudget(0.1, START);
    spend(budget, START);
    expect(spend(budget, START + 9_999)).toBe(0);
    expect(spend(budget, START + 10_000)).toBe(1);
    expect(spend(budget, START + 40_000)).toBe(3);
  });

  it('says when to ask again: when time allows the next, and each second before that, since a success may', () => {
    const budget = new RetryBudget(0.1, START);
    spend(budget, START);
    expect(budget.waitMs(START)).toBe(SECOND);
    expect(Math.abs(budget.waitMs(START + 9_700) - 300)).toBeLessThanOrEqual(1);
  });

  it('ends the wait in time: who asks again when told to is not told to wait for ever', () => {
    const budget = new RetryBudget(0, START);
    spend(budget, START);
    let now = START;
    let asked = 0;
    for (let waitMs = budget.waitMs(now); waitMs > 0; waitMs = budget.waitMs(now)) {
      now += waitMs;
      asked += 1;
    }
    expect(now - START).toBeLessThanOrEqual(10_001);
    expect(asked).toBeLessThanOrEqual(12);
  });

  it('allows one for every ten successes', () => {
    const budget = new RetryBudget(0.1, START);
    spend(budget, START);
    for (let count = 0; count < 35; count += 1) budget.succeeded();
    expect(spend(budget, START)).toBe(3);
  });

  it('saves up no more than a hundred, however long all goes well', () => {
    const budget = new RetryBudget(0.1, START);
    for (let count = 0; count < 100_000; count += 1) budget.succeeded();
    expect(spend(budget, START + 24 * 60 * 60 * SECOND)).toBe(100);
  });

  it('counts on where the time of day was set back, and makes nothing of what was counted', () => {
    const budget = new RetryBudget(0.1, START);
    spend(budget, START);
    const back = START - 24 * 60 * 60 * SECOND;
    expect(spend(budget, back)).toBe(0);
    expect(spend(budget, back + 10_000)).toBe(1);
  });

  it('never allows more than ten, a tenth of the successes, and one in ten seconds', () => {
    const step = fc.record({ afterMs: fc.nat(30_000), successes: fc.nat(30), asked: fc.nat(20) });
    const property = fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (steps, perSuccess) => {
        const budget = new RetryBudget(perSuccess, START);
        let now = START;
        let retries = 0;
        let successes = 0;
        for (const { afterMs, successes: more, asked } of steps) {
          now += afterMs;
          successes += more;
          for (let left = more; left > 0; left -= 1) budget.succeeded();
          retries += spend(budget, now, asked);
          expect(retries).toBeLessThanOrEqual(10 + perSuccess * successes + (now - START) / 10_000 + 1e-6);
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
