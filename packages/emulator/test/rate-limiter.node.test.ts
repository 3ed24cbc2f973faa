import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { RateLimiter } from '../src/http/interface-endpoint.ts';

describe('a limit of requests a second', () => {
  it('lets as many pass at once, and then one whenever its share of the second is over', () => {
    const clock = new VirtualClock();
    const limiter = new RateLimiter(clock);
    expect([1, 2, 3, 4, 5].map(() => limiter.take(4))).toEqual([0, 0, 0, 0, 250]);
    clock.advance(249);
    expect(limiter.take(4)).toBe(1);
    clock.advance(1);
    expect([limiter.take(4), limiter.take(4)]).toEqual([0, 250]);
  });

  it('saves up no more than one second', () => {
    const clock = new VirtualClock();
    const limiter = new RateLimiter(clock);
    limiter.take(2);
    clock.advance(60_000);
    expect([1, 2, 3].map(() => limiter.take(2))).toEqual([0, 0, 500]);
  });

  it('can be changed while it holds', () => {
    const clock = new VirtualClock();
    const limiter = new RateLimiter(clock);
    for (let request = 0; request < 100; request += 1) expect(limiter.take(100)).toBe(0);
    expect(limiter.take(1)).toBe(1_000);
    clock.advance(1_000);
    expect([limiter.take(1), limiter.take(1)]).toEqual([0, 1_000]);
  });
});
