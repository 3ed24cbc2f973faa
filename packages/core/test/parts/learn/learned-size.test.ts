import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../../testing/full.ts';
import { LearnedSize } from '../../../src/parts/learn/learned-size.ts';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const FULL = 512 * 1_024;

/** A limit, and a service that takes requests up to a size. A request that it refuses is halved. */
class Bench {
  readonly changes: number[] = [];
  readonly limit: LearnedSize = new LearnedSize(() => void this.changes.push(this.limit.most));
  truth = Number.POSITIVE_INFINITY;
  now = START;
  refused = 0;

  /** Sends as much as is allowed, so many times, one second apart. */
  send(times: number): void {
    for (let left = times; left > 0; left -= 1) {
      this.now += SECOND;
      this.#post(Math.min(FULL, this.limit.most));
    }
  }

  #post(size: number): void {
    const isTaken = size <= this.truth;
    this.limit.sent(size, this.now);
    if (isTaken) this.limit.accepted(size, this.now);
    else this.limit.refused(size, this.now);
    this.refused += Number(!isTaken);
    if (isTaken || size < 2) return;
    this.#post(Math.ceil(size / 2));
    this.#post(Math.floor(size / 2));
  }
}

describe('how large a request may be', () => {
  it('is not limited until one is refused', () => {
    const { changes, limit } = new Bench();
    for (let times = 0; times < 1_000; times += 1) limit.accepted(FULL, START);
    expect(limit.most).toBe(Number.POSITIVE_INFINITY);
    expect(limit.refuses(FULL)).toBe(false);
    expect(changes).toEqual([]);
  });

  it('is half of what was refused, and twice as much once that is accepted: one refusal may be a mistake', () => {
    const { changes, limit } = new Bench();
    limit.accepted(1_000, START);
    limit.refused(1_000, START);
    expect(limit.refuses(1_000)).toBe(false);
    expect(limit.most).toBe(500);
    // A small one says nothing.
    limit.accepted(200, START);
    limit.accepted(500, START);
    limit.sent(800, START);
    limit.accepted(800, START);
    limit.sent(1_000, START);
    limit.accepted(1_000, START);
    expect(changes).toEqual([500, 1_000, 500, 1_100, 800, Number.POSITIVE_INFINITY]);
    expect(limit.most).toBe(Number.POSITIVE_INFINITY);
  });

  it('is larger for one request at a time than what is known to be accepted', () => {
    const { limit } = new Bench();
    limit.refused(1_000, START);
    limit.accepted(400, START);
    expect(limit.most).toBe(1_000);
    limit.sent(500, START);
    expect(limit.most).toBe(1_000);
    limit.sent(900, START);
    expect(limit.most).toBe(500);
    limit.accepted(450, START);
    expect(limit.most).toBe(500);
    limit.refused(900, START);
    expect(limit.most).toBe(500);
    // The answer to this one never comes.
    limit.accepted(450, START);
    limit.sent(800, START);
    limit.accepted(450, START + 30 * SECOND);
    expect(limit.most).toBe(500);
    limit.accepted(450, START + 31 * SECOND);
    expect(limit.most).toBeGreaterThan(900);
  });

  it('falls no more with the refusals of requests that were made before it fell', () => {
    const { limit } = new Bench();
    for (let times = 0; times < 8; times += 1) limit.refused(1_000, START);
    expect(limit.most).toBe(500);
    expect(limit.refuses(1_000)).toBe(true);
  });

  it('falls to what was accepted since', () => {
    const { limit } = new Bench();
    limit.refused(1_000, START);
    limit.accepted(450, START);
    limit.refused(480, START);
    expect(limit.most).toBe(450);
    limit.refused(450, START);
    expect(limit.most).toBe(225);
  });

  it('is known to be less than what was refused twice, unless one as large was accepted between', () => {
    const { limit } = new Bench();
    limit.refused(1_000, START);
    limit.accepted(1_000, START);
    limit.refused(1_000, START);
    expect(limit.refuses(1_000)).toBe(false);
    limit.refused(1_000, START);
    expect([limit.refuses(999), limit.refuses(1_000)]).toEqual([false, true]);
    limit.accepted(1_000, START);
    expect(limit.refuses(1_000)).toBe(false);
  });

  it('comes to at least nine tenths of what the service takes, whatever that is, with few refusals', () => {
    const sizes = fc.integer({ min: 1, max: FULL - 1 });
    fc.assert(
      fc.property(sizes, (truth) => {
        const bench = new Bench();
        bench.truth = truth;
        bench.send(60);
        expect(bench.limit.most).toBeLessThanOrEqual(truth * 1.1 * 1.5 + 2);
        // Most of the time: from time to time something larger is tried.
        const { now, refused } = bench;
        let near = 0;
        for (let second = 0; second < 120; second += 1) {
          bench.send(1);
          if (bench.limit.most >= Math.floor(truth * 0.9) && bench.limit.most <= truth) near += 1;
        }
        expect(bench.now - now).toBe(120 * SECOND);
        expect(near).toBeGreaterThanOrEqual(90);
        expect(bench.refused - refused).toBeLessThanOrEqual(12);
      }),
      { numRuns: cases(200) },
    );
  });

  it('comes as near to it as the events allow, if they are large', () => {
    const sizes = fc.integer({ min: 10, max: 200_000 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 200 }), (event, most) => {
        const { limit } = new Bench();
        let fitting = 0;
        for (let second = 0; second < 200; second += 1) {
          const now = START + second * SECOND;
          fitting = Math.max(1, Math.min(1_000, Math.floor(limit.most / event)));
          limit.sent(fitting * event, now);
          if (fitting <= most) limit.accepted(fitting * event, now);
          else limit.refused(fitting * event, now);
          if (second > 150 && limit.most >= event && fitting <= most)
            expect(fitting).toBeGreaterThanOrEqual(Math.floor(most * 0.9));
        }
      }),
      { numRuns: cases(200) },
    );
  });

  it('grows again within five minutes once the service has no limit any more', () => {
    const bench = new Bench();
    bench.truth = 1_024;
    bench.send(600);
    bench.truth = Number.POSITIVE_INFINITY;
    bench.send(300);
    expect(bench.limit.most).toBe(Number.POSITIVE_INFINITY);
  });

  it('grows though the clock is set back', () => {
    const bench = new Bench();
    bench.truth = 1_024;
    bench.send(600);
    bench.truth = Number.POSITIVE_INFINITY;
    bench.now -= 24 * 60 * 60 * SECOND;
    bench.send(30);
    expect(bench.limit.most).toBe(Number.POSITIVE_INFINITY);
  });

  it('is at least one, whatever is refused', () => {
    const { limit } = new Bench();
    for (let times = 0; times < 100; times += 1) limit.refused(1, START);
    expect(limit.most).toBe(1);
  });
});
