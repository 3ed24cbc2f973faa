import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { LearnedRate } from '../../src/pace/learned-rate.ts';
import { expectSame } from '../bench/expect-same.ts';

const SECOND = 1_000;
const START = Date.UTC(2026, 0, 1);

function createLimit(): { limit: LearnedRate; changes: (number | undefined)[] } {
  const changes: (number | undefined)[] = [];
  return { limit: new LearnedRate((perSecond) => changes.push(perSecond)), changes };
}

/** Reports accepted requests, `perSecond` in each second, for this many seconds up to `to`. */
function accept(limit: LearnedRate, perSecond: number, seconds: number, to: number): void {
  const count = perSecond * seconds;
  for (let left = count - 1; left >= 0; left -= 1) limit.accepted(to - (left * SECOND) / perSecond);
}

/** A service that takes this many requests per second, evenly. Returns how many it took and refused. */
function serve(limit: LearnedRate, perSecond: number, from: number, seconds: number) {
  const served = { taken: 0, refused: 0 };
  let free = from;
  for (let now = from; now < from + seconds * SECOND; ) {
    const waitMs = limit.waitMs(now);
    now += waitMs > 0 ? waitMs : 1;
    if (waitMs > 0) continue;
    limit.take(now);
    if (now >= free) {
      free = Math.max(free, now - SECOND) + SECOND / perSecond;
      limit.accepted(now);
      served.taken += 1;
    } else {
      limit.pushedBack(now, now);
      served.refused += 1;
    }
  }
  return served;
}

describe('LearnedRate', () => {
  it('is none until the service pushes back', () => {
    const { limit, changes } = createLimit();
    for (let count = 0; count < 1_000; count += 1) {
      expect(limit.waitMs(START)).toBe(0);
      limit.take(START);
      limit.accepted(START);
    }
    expect(limit.perSecond).toBeUndefined();
    expect(changes).toEqual([]);
  });

  it('is seven tenths of what the service took of late, once it pushes back', () => {
    const { limit, changes } = createLimit();
    accept(limit, 20, 3, START);
    limit.pushedBack(START - 10, START);
    expect(limit.perSecond).toBeCloseTo(14, 0);
    expect(changes).toEqual([limit.perSecond]);
  });

  it('grows again after a clock was set back, though the service had asked for a long wait', () => {
    const { limit } = createLimit();
    accept(limit, 20, 3, START);
    limit.take(START);
    limit.pushedBack(START, START + 10, true, 60 * SECOND);
    const low = limit.perSecond ?? Number.NaN;
    for (let count = 0; count < 20; count += 1) limit.accepted(START - 3_600 * SECOND + count * SECOND);
    expect(limit.perSecond).toBeGreaterThan(low);
  });

  it('grows again after 30 hours, however long the service asked to wait', () => {
    const { limit } = createLimit();
    accept(limit, 20, 3, START);
    limit.pushedBack(START, START + 10, true, 365 * 86_400 * SECOND);
    const low = limit.perSecond ?? Number.NaN;
    accept(limit, 1, 20, START + 31 * 3_600 * SECOND);
    expect(limit.perSecond ?? Number.POSITIVE_INFINITY).toBeGreaterThan(low);
  });

  it('takes a burst of less than a second for what it is: no rate', () => {
    const { limit } = createLimit();
    for (let count = 0; count < 10; count += 1) limit.accepted(START + count);
    limit.pushedBack(START + 5, START + 10);
    expect(limit.perSecond).toBeCloseTo(7, 5);
  });

  it('is none where the service takes nothing at all: that is for the breaker', () => {
    const { limit, changes } = createLimit();
    limit.pushedBack(START, START);
    accept(limit, 10, 1, START + SECOND);
    limit.pushedBack(START + 60 * SECOND, START + 60 * SECOND);
    expect(limit.perSecond).toBeUndefined();
    expect(changes).toEqual([]);
  });

  it('does not sink in an outage: what is taken after it comes at the rate that went before', () => {
    const { limit } = createLimit();
    accept(limit, 20, 3, START);
    limit.pushedBack(START, START + 1);
    const before = limit.perSecond;
    for (let minute = 1; minute < 60; minute += 1) {
      const at = START + minute * 60 * SECOND;
      limit.pushedBack(at, at);
    }
    expect(limit.perSecond).toBe(before);
  });

  it('takes what several requests at once are told for one push', () => {
    const { limit, changes } = createLimit();
    accept(limit, 20, 3, START);
    for (let count = 0; count < 4; count += 1) limit.pushedBack(START, START + count);
    expect(changes).toHaveLength(1);
    limit.pushedBack(START + 10, START + 20, true);
    expect(changes).toHaveLength(2);
  });

  it('takes an answer that only a service gives that is there for a push three times, any other once, until it accepts', () => {
    const { limit, changes } = createLimit();
    accept(limit, 20, 3, START);
    limit.pushedBack(START, START);
    for (let second = 1; second < 4; second += 1)
      limit.pushedBack(START + second * SECOND, START + second * SECOND);
    expect(changes).toHaveLength(1);
    limit.accepted(START + 5 * SECOND);
    limit.pushedBack(START + 6 * SECOND, START + 6 * SECOND);
    expect(changes).toHaveLength(2);
    for (let minute = 1; minute < 60; minute += 1) {
      const at = START + minute * 60 * SECOND;
      limit.pushedBack(at, at, true);
    }
    expect(changes).toHaveLength(2 + 2);
    const pushBack = (second: number) =>
      limit.pushedBack(START + second * SECOND, START + second * SECOND, true);
    // The breaker deals with it, until something is accepted.
    expect(pushBack(3_600)).toBe(false);
    limit.accepted(START + 3_601 * SECOND);
    expect(pushBack(3_602)).toBe(true);
  });

  it('grows by no more than a quarter with one acceptance, however long that took', () => {
    const { limit } = createLimit();
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    const before = limit.perSecond ?? 0;
    limit.accepted(START + 60 * SECOND);
    expect((limit.perSecond ?? 0) / before).toBeLessThanOrEqual(1.25);
  });

  it('spaces requests evenly', () => {
    const { limit } = createLimit();
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    const between = Math.ceil(SECOND / (limit.perSecond ?? 0));
    expect(limit.waitMs(START)).toBe(between);
    limit.take(START + 1_000);
    expect(limit.waitMs(START + 1_000)).toBe(between);
    expect(limit.waitMs(START + 1_000 + 100)).toBe(between - 100);
    expect(limit.waitMs(START + 1_000 + between)).toBe(0);
  });

  it('does not let a request go at once because one that was accepted raised it', () => {
    const { limit } = createLimit();
    accept(limit, 1, 3, START);
    limit.pushedBack(START, START);
    const now = START + 10 * SECOND;
    limit.take(now);
    limit.accepted(now + 1);
    expect(limit.waitMs(now + 2)).toBeGreaterThan(400);
  });

  it('doubles each second from a first guess, as long as all is accepted, until there is none', () => {
    const { limit, changes } = createLimit();
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    const first = limit.perSecond ?? 0;
    let now = START;
    for (; now < START + 3 * SECOND; now += 100) limit.accepted(now + 100);
    expect(limit.perSecond).toBeCloseTo(first * 8, 5);
    for (; limit.perSecond !== undefined && now < START + 60 * SECOND; now += 100) limit.accepted(now + 100);
    expect(now).toBeLessThanOrEqual(START + 7 * SECOND);
    expect(changes).toEqual([first, undefined]);
    expect(limit.waitMs(now)).toBe(0);
  });

  it('grows by a tenth of the rate at which the service pushed back, up to that', () => {
    const { limit } = createLimit();
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    for (let now = START; now < START + 3 * SECOND; now += 100) limit.accepted(now + 100);
    const ceiling = limit.perSecond ?? 0;
    const at = START + 3 * SECOND;
    limit.pushedBack(at, at + 1);
    expect(limit.perSecond).toBeCloseTo(0.7 * ceiling, 5);
    for (let now = at + 1; now < at + SECOND; now += 100) limit.accepted(now + 100);
    expect(limit.perSecond).toBeCloseTo(0.8 * ceiling, 5);
  });

  it('is gone where what is known of the service is out of date', () => {
    const { limit, changes } = createLimit();
    limit.restore();
    expect(changes).toEqual([]);
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    limit.restore();
    expect(limit.waitMs(START)).toBe(0);
    expect(changes).toEqual([expect.any(Number), undefined]);
  });

  it('is as high again as it was before push-backs that were not about the rate, and never lower for it', () => {
    const { limit, changes } = createLimit();
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    const before = limit.perSecond;
    limit.accepted(START + 1);
    limit.pushedBack(START + 2, START + 3);
    limit.restore(before);
    limit.restore(1);
    expect(limit.perSecond).toBe(before);
    limit.restore(undefined);
    expect(changes).toEqual([before, expect.any(Number), before, undefined]);
  });

  it('falls soon to a limit of the service, though it grew far beyond what is sent', () => {
    const { limit } = createLimit();
    accept(limit, 1, 10, START);
    limit.pushedBack(START, START);
    limit.restore(1e9);
    limit.accepted(START + 1);
    limit.pushedBack(START + 1, START + 2);
    expect(limit.perSecond).toBeLessThan(100);
  });

  it('does not grow by a second for each of the requests that are accepted at once', () => {
    const { limit } = createLimit();
    accept(limit, 10, 3, START);
    limit.pushedBack(START, START);
    const before = limit.perSecond ?? 0;
    for (let count = 0; count < 100; count += 1) limit.accepted(START + SECOND);
    expect(limit.perSecond).toBeLessThanOrEqual(before * 2);
  });

  it.each([-24 * 60 * 60, 24 * 60 * 60])(
    'holds up nothing for long where the time of day was set by %d seconds',
    (seconds) => {
      const { limit } = createLimit();
      accept(limit, 10, 3, START);
      limit.pushedBack(START, START);
      limit.take(START);
      const now = START + seconds * SECOND;
      expect(limit.waitMs(now)).toBe(0);
      limit.take(now);
      const before = limit.perSecond ?? 0;
      limit.accepted(now + 100);
      expect(limit.perSecond).toBeGreaterThanOrEqual(before);
      expect(limit.perSecond).toBeLessThanOrEqual(before * 2);
      expect(limit.waitMs(now + 100)).toBeLessThan(200);
    },
  );

  it.each([2, 10, 100])(
    'makes good use of a service that takes %d a second, with few refusals',
    (perSecond) => {
      const { limit } = createLimit();
      const { taken, refused } = serve(limit, perSecond, START, 300);
      expect(taken / (perSecond * 300)).toBeGreaterThan(0.6);
      expect(refused / taken).toBeLessThan(0.2);
    },
  );

  it('is never exceeded, whatever is answered when', () => {
    const answer = fc.record({
      afterMs: fc.integer({ min: 0, max: 3_000 }),
      latencyMs: fc.integer({ min: 0, max: 500 }),
      isPushback: fc.boolean(),
    });
    const property = fc.property(fc.array(answer, { maxLength: 200 }), (answers) => {
      const { limit } = createLimit();
      accept(limit, 5, 2, START);
      limit.pushedBack(START, START);
      let now = START;
      let last = START;
      let highest = limit.perSecond ?? 0;
      for (const { afterMs, latencyMs, isPushback } of answers) {
        now += afterMs;
        // Like the gate: asks again after each wait, because the wait may have become longer.
        for (let waitMs = limit.waitMs(now); waitMs > 0; waitMs = limit.waitMs(now)) now += waitMs;
        expectSame(now - last >= SECOND / highest - 0.001, true);
        limit.take(now);
        last = now;
        const at = now + latencyMs;
        if (isPushback) limit.pushedBack(now, at);
        else limit.accepted(at);
        highest = limit.perSecond ?? Number.POSITIVE_INFINITY;
        now = at;
      }
    });
    fc.assert(property, { numRuns: cases(300) });
  });

  it('stays above one request in a minute, whatever is answered, and recovers once all is accepted', () => {
    const property = fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (answers) => {
      const { limit } = createLimit();
      let now = START;
      for (const isPushback of answers) {
        now += Math.max(100, limit.waitMs(now));
        limit.take(now);
        if (isPushback) limit.pushedBack(now, now);
        else limit.accepted(now);
        expectSame((limit.perSecond ?? 1) >= 1 / 60, true);
      }
      const from = now;
      while (limit.perSecond !== undefined) {
        now += Math.max(10, limit.waitMs(now));
        limit.take(now);
        limit.accepted(now);
        expectSame(now - from < 10 * 60 * SECOND, true);
      }
    });
    fc.assert(property, { numRuns: cases(200) });
  });
});
