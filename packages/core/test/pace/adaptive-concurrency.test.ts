import { describe, expect, it } from 'vitest';
import { AdaptiveConcurrency } from '../../src/pace/adaptive-concurrency.ts';

describe('a tracker that made few requests at once, for long', () => {
  it('goes by what the latest of them took, once more has to be sent', () => {
    const concurrency = new AdaptiveConcurrency(100);
    const underWay = new Set([1, 2, 3, 4].map((at) => ({ at })));
    let now = 0;
    const answer = (latencyMs: number) => {
      now += latencyMs;
      concurrency.accepted(latencyMs, now);
    };
    for (let count = 0; count < 10_000; count += 1) answer(10);
    for (let count = 0; count < 100; count += 1) answer(50);
    for (let count = 0; count < 100; count += 1) {
      concurrency.waitMs(underWay, now);
      answer(50);
    }
    expect(concurrency.limit).toBeGreaterThan(4);
  });
});
