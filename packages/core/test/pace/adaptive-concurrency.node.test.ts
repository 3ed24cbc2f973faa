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

it('a tracker makes more requests again at a service that is slower for good', () => {
  const concurrency = new AdaptiveConcurrency(32);
  let now = 0;
  const answers = (count: number, latencyMs: number) => {
    for (let answer = 0; answer < count; answer += 1) {
      now += latencyMs;
      concurrency.waitMs(new Set(Array.from({ length: concurrency.limit }, () => ({ at: now }))), now);
      concurrency.accepted(latencyMs, now);
    }
  };
  answers(2_000, 10);
  answers(1_000, 25);
  expect(concurrency.limit).toBeLessThan(4);
  answers(30_000, 25);
  expect(concurrency.limit).toBeGreaterThan(16);
});

it('a tracker that makes fewer requests since a service became slow makes more again, though the clock was set back', () => {
  const concurrency = new AdaptiveConcurrency(100);
  const underWay = new Set(Array.from({ length: 100 }, (_, at) => ({ at })));
  let now = 10 * 3_600_000;
  const answers = (count: number, latencyMs: number) => {
    for (let answer = 0; answer < count; answer += 1) {
      now += latencyMs;
      concurrency.waitMs(underWay, now);
      concurrency.accepted(latencyMs, now);
    }
  };
  answers(200, 10);
  answers(400, 100);
  const low = concurrency.limit;
  now -= 3_600_000;
  answers(2_000, 10);
  expect(concurrency.limit).toBeGreaterThan(low);
});
