import { describe, expect, it } from 'vitest';
import { RateMeter } from '../../src/tell/rate-meter.ts';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;

/** Counts up to `total` at this rate, and samples the meter `looks` times per second. */
function run(
  meter: RateMeter,
  perSecond: number,
  seconds: number,
  looks = 20,
): { total: number; now: number } {
  let total = 0;
  let now = START;
  meter.sample(total, now);
  for (let step = 1; step <= seconds * looks; step += 1) {
    now = START + (step * SECOND) / looks;
    total = (step * perSecond) / looks;
    meter.sample(total, now);
  }
  return { total, now };
}

describe('RateMeter', () => {
  it('has none where nothing was counted', () => {
    const meter = new RateMeter();
    expect(meter.perSecond(0, START)).toBe(0);
    meter.sample(5, START);
    expect(meter.perSecond(5, START)).toBe(0);
  });

  it.each([1, 100, 1_000])('follows a counter that grows by %d a second', (perSecond) => {
    const meter = new RateMeter();
    const { total, now } = run(meter, perSecond, 60);
    expect(meter.perSecond(total, now)).toBeCloseTo(perSecond, 5);
  });

  it('is of the last ten seconds', () => {
    const meter = new RateMeter();
    const { total, now } = run(meter, 100, 60);
    expect(meter.perSecond(total, now + 5 * SECOND)).toBeCloseTo(50, -1);
    expect(meter.perSecond(total, now + 11 * SECOND)).toBe(0);
  });

  it('does not take a burst of a few milliseconds for a rate of its own', () => {
    const meter = new RateMeter();
    meter.sample(0, START);
    expect(meter.perSecond(100, START + 5)).toBe(100);
  });

  it('costs the same however often it is looked at', () => {
    const meter = new RateMeter();
    const { total, now } = run(meter, 1_000, 12, 1_000);
    expect(meter.perSecond(total, now)).toBeCloseTo(1_000, 5);
  });

  it('begins anew where the time of day was set back', () => {
    const meter = new RateMeter();
    const { total } = run(meter, 100, 20);
    const back = START - 60 * 60 * SECOND;
    meter.sample(total, back);
    expect(meter.perSecond(total, back)).toBe(0);
    expect(meter.perSecond(total + 200, back + 2 * SECOND)).toBe(100);
  });
});
