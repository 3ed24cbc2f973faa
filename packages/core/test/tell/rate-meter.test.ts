import { describe, expect, it } from 'vitest';
import { RateMeter } from '../../src/tell/rate-meter.ts';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;

/** Half of the accepted events are delivered. */
function counters(accepted: number): { accepted: number; delivered: number } {
  return { accepted, delivered: accepted / 2 };
}

function rates(accepted: number): object {
  return { acceptedPerSecond: accepted, deliveredPerSecond: accepted / 2 };
}

/** Counts up to `total` at this rate, and samples the meter `looks` times per second. */
function run(
  meter: RateMeter,
  perSecond: number,
  seconds: number,
  looks = 20,
): { total: number; now: number } {
  let total = 0;
  let now = START;
  meter.sample(counters(total), now);
  for (let step = 1; step <= seconds * looks; step += 1) {
    now = START + (step * SECOND) / looks;
    total = (step * perSecond) / looks;
    meter.sample(counters(total), now);
  }
  return { total, now };
}

describe('RateMeter', () => {
  it('has no rate if nothing was counted since the first sample', () => {
    const meter = new RateMeter();
    expect(meter.perSecond(counters(0), START)).toEqual(rates(0));
    const other = new RateMeter();
    other.sample(counters(5), START);
    expect(other.perSecond(counters(5), START)).toEqual(rates(0));
  });

  it.each([1, 100, 1_000])('follows counters that grow by %d a second', (perSecond) => {
    const meter = new RateMeter();
    const { total, now } = run(meter, perSecond, 60);
    const { acceptedPerSecond, deliveredPerSecond } = meter.perSecond(counters(total), now);
    expect(acceptedPerSecond).toBeCloseTo(perSecond, 5);
    expect(deliveredPerSecond).toBeCloseTo(perSecond / 2, 5);
  });

  it('is of the last ten seconds', () => {
    const meter = new RateMeter();
    const { total, now } = run(meter, 100, 60);
    expect(meter.perSecond(counters(total), now + 5 * SECOND).acceptedPerSecond).toBeCloseTo(50, -1);
    expect(meter.perSecond(counters(total), now + 11 * SECOND)).toEqual(rates(0));
  });

  it('does not take a burst of a few milliseconds for a rate of its own', () => {
    const meter = new RateMeter();
    meter.sample(counters(0), START);
    expect(meter.perSecond(counters(100), START + 5)).toEqual(rates(100));
  });

  it('costs the same however often it is looked at', () => {
    const meter = new RateMeter();
    const { total, now } = run(meter, 1_000, 12, 1_000);
    expect(meter.perSecond(counters(total), now).acceptedPerSecond).toBeCloseTo(1_000, 5);
  });

  it('begins anew if the time of day was set back', () => {
    const meter = new RateMeter();
    const { total } = run(meter, 100, 20);
    const back = START - 60 * 60 * SECOND;
    meter.sample(counters(total), back);
    expect(meter.perSecond(counters(total), back)).toEqual(rates(0));
    expect(meter.perSecond(counters(total + 200), back + 2 * SECOND)).toEqual(rates(100));
  });
});
