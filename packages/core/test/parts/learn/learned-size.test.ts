import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LearnedSize } from '../../../src/parts/learn/learned-size.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR = 60 * 60_000;
const KIB = 1024;

function createLimit(): { limit: LearnedSize; changes: number[] } {
  const changes: number[] = [];
  return { limit: new LearnedSize((bytes) => changes.push(bytes)), changes };
}

function accept(limit: LearnedSize, count: number, bytes: number, now = START): void {
  for (let left = count; left > 0; left -= 1) limit.accepted(bytes, now);
}

/** Sends bodies of the full size, and halves each as long as it is too large. Returns how many were refused. */
function send(limit: LearnedSize, most: number, bodies: number, truth: number, now = START): number {
  let refused = 0;
  const deliver = (bytes: number): void => {
    const isCut = bytes > 1 && limit.isTooLarge(bytes, now);
    const isTaken = !isCut && bytes <= truth;
    if (isTaken) limit.accepted(bytes, now);
    if (!isCut && !isTaken) limit.refused(bytes, now);
    if (!isCut && !isTaken) refused += 1;
    if (!isTaken && bytes > 1) halves(bytes);
  };
  const halves = (bytes: number): void => {
    deliver(Math.ceil(bytes / 2));
    deliver(Math.floor(bytes / 2));
  };
  for (let left = bodies; left > 0; left -= 1) deliver(Math.min(most, limit.bytes));
  return refused;
}

describe('LearnedSize', () => {
  it('is none until a body is refused', () => {
    const { limit, changes } = createLimit();
    accept(limit, 1_000, 512 * KIB);
    expect(limit.bytes).toBe(Number.POSITIVE_INFINITY);
    expect(limit.isTooLarge(Number.MAX_SAFE_INTEGER, START)).toBe(false);
    expect(limit.tooLargeBytes(START)).toBe(Number.POSITIVE_INFINITY);
    expect(changes).toEqual([]);
  });

  it('is the half of what was refused', () => {
    const { limit, changes } = createLimit();
    limit.refused(1_001, START);
    expect(limit.bytes).toBe(500);
    expect(changes).toEqual([500]);
  });

  it('lets what is a little above it be tried, and nothing as large as what was refused', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    expect([500, 600, 625].map((bytes) => limit.isTooLarge(bytes, START))).toEqual([false, false, false]);
    expect([626, 1_000].map((bytes) => limit.isTooLarge(bytes, START))).toEqual([true, true]);
    limit.refused(600, START);
    accept(limit, 1, 550);
    expect(limit.isTooLarge(600, START)).toBe(true);
  });

  it('falls to the largest that was accepted of late, where that is more than the half', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    accept(limit, 65, 490);
    expect(limit.bytes).toBe(750);
    limit.refused(740, START);
    expect(limit.bytes).toBe(490);
  });

  it('falls no further where several that were under way are refused', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    accept(limit, 65, 490);
    for (const bytes of [740, 750, 745]) limit.refused(bytes, START);
    expect(limit.bytes).toBe(490);
  });

  it('falls to the half where even less than what was accepted is refused now', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    accept(limit, 5, 490);
    limit.refused(400, START);
    expect(limit.bytes).toBe(200);
  });

  it('is raised after 64 that were accepted near it, to the middle between it and what was refused', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    accept(limit, 63, 480);
    accept(limit, 100, 200);
    expect(limit.bytes).toBe(500);
    accept(limit, 1, 480);
    expect(limit.bytes).toBe(750);
  });

  it('is raised where each event has more than half of it, so that each is sent alone', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    accept(limit, 64, 260);
    expect(limit.bytes).toBe(750);
  });

  it('forgets a refusal after an hour, and where the time of day was set back', () => {
    for (const now of [START + HOUR + 1, START - 1]) {
      const { limit } = createLimit();
      limit.refused(1_000, START);
      accept(limit, 64, 500, now);
      expect(limit.bytes).toBe(1_000);
      expect(limit.tooLargeBytes(now)).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('is not reminded of a small one by larger ones that are refused later', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    accept(limit, 1, 400);
    limit.refused(5_000, START + HOUR - 1);
    expect(limit.tooLargeBytes(START + HOUR)).toBe(1_000);
    expect(limit.tooLargeBytes(START + HOUR + 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not believe a refusal any more once a body as large was accepted', () => {
    const { limit } = createLimit();
    limit.refused(1_000, START);
    limit.refused(100, START);
    expect(limit.bytes).toBe(50);
    accept(limit, 1, 100);
    expect(limit.tooLargeBytes(START)).toBe(Number.POSITIVE_INFINITY);
    accept(limit, 63, 100);
    expect(limit.bytes).toBe(100);
  });

  it('knows of no size that is too large where all are refused, however small', () => {
    const { limit } = createLimit();
    accept(limit, 10, 5_000);
    for (const bytes of [10_000, 1_000, 100]) limit.refused(bytes, START);
    expect(limit.tooLargeBytes(START)).toBe(Number.POSITIVE_INFINITY);
    accept(limit, 1, 60);
    expect(limit.tooLargeBytes(START)).toBe(100);
  });

  it('finds any limit within a tenth, with a handful of refusals, and then brings none for an hour', () => {
    const most = 512 * KIB;
    const property = fc.property(fc.integer({ min: 64, max: most }), (truth) => {
      const { limit } = createLimit();
      const refused = send(limit, most, 64 * 40, truth);
      expect(refused).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(most / truth)) + 10);
      expect(limit.bytes).toBeGreaterThanOrEqual(Math.min(most, truth) * 0.9);
      if (limit.bytes <= most) expect(limit.bytes).toBeLessThanOrEqual(truth);
      expect(send(limit, most, 1_000, truth)).toBeLessThanOrEqual(1);
      expect(send(limit, most, 10_000, truth, START + 2 * HOUR)).toBeLessThanOrEqual(12);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('finds back to large bodies after a service refused all for a while', () => {
    const most = 512 * KIB;
    const { limit } = createLimit();
    for (let bytes = most; bytes > 100; bytes = Math.ceil(bytes / 2)) limit.refused(bytes, START);
    expect(limit.bytes).toBeLessThan(100);
    send(limit, most, 64 * 20, most, START + HOUR + 1);
    expect(limit.bytes).toBeGreaterThanOrEqual(most);
  });
});
