import type { Clock, Timer } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { GuardedClock } from '../../../src/parts/guard/guarded-clock.ts';

interface Bench {
  readonly guarded: GuardedClock;
  readonly platform: VirtualClock;
  readonly failures: string[];
}

/** A user's clock that differs in some way from a good one. */
function create(bad: { now?: unknown; setTimeout?: unknown }): Bench & { user: VirtualClock } {
  const user = new VirtualClock(1_000_000);
  const platform = new VirtualClock(2_000_000);
  const failures: string[] = [];
  const clock = {
    now: () => user.now(),
    setTimeout: (callback: () => void, delayMs: number) => user.setTimeout(callback, delayMs),
    ...bad,
  } as Clock;
  const guarded = new GuardedClock(clock, platform, (error) => failures.push(String(error)));
  return { guarded, platform, user, failures };
}

function fail(): never {
  throw new Error('out of order');
}

describe('a clock that works', () => {
  it('is asked, and its timers run once and can be cancelled', async () => {
    const { guarded, platform, user, failures } = create({});
    expect(guarded.now()).toBe(1_000_000);
    let runs = 0;
    guarded.setTimeout(() => {
      runs += 1;
    }, 100);
    const cancelled = guarded.setTimeout(() => fail(), 100);
    cancelled.cancel();
    cancelled.cancel();
    await user.advance(1_000);
    expect({ runs, timers: platform.timers, failures }).toEqual({ runs: 1, timers: 0, failures: [] });
  });

  it('is called as its author wrote it, with `this`', () => {
    class Own implements Clock {
      readonly start = 5;
      now(): number {
        return this.start;
      }
      setTimeout(): Timer {
        return { cancel: () => {} };
      }
    }
    expect(new GuardedClock(new Own(), new VirtualClock(), fail).now()).toBe(5);
  });
});

describe('the time of the platform counts where a clock', () => {
  it.each<[string, unknown]>([
    ['throws', fail],
    ['tells no number', () => Number.NaN],
    ['tells of no end', () => Number.POSITIVE_INFINITY],
    ['tells a time before 1970', () => -1],
    ['tells a time after the year 9999', () => 1e18],
    ['tells a text', () => '1000000'],
    ['tells a Date', () => new Date()],
    ['tells a bigint', () => 1n],
    ['promises', () => Promise.resolve(1)],
    ['returns nothing', () => undefined],
    ['is not there any more', 'now'],
  ])('%s', (_, now) => {
    const { guarded, failures } = create({ now });
    expect(guarded.now()).toBe(2_000_000);
    expect(failures).toHaveLength(1);
  });
});

describe('a timer of the platform is set where a clock', () => {
  it.each<[string, unknown]>([
    ['throws', fail],
    ['returns nothing', () => undefined],
    ['returns a number', () => 42],
    ['returns what cannot be cancelled', () => ({ cancel: true })],
    ['promises', () => Promise.resolve({ cancel: () => {} })],
  ])('%s', async (_, setTimeout) => {
    const { guarded, platform, failures } = create({ setTimeout });
    let runs = 0;
    guarded.setTimeout(() => {
      runs += 1;
    }, 100);
    guarded.setTimeout(fail, 100).cancel();
    await platform.advance(99);
    expect(runs).toBe(0);
    await platform.advance(1);
    expect(runs).toBe(1);
    expect(failures).toHaveLength(2);
    expect(platform.timers).toBe(0);
  });

  it('calls back before it returns: once, and when it is time', async () => {
    const { guarded, platform, failures } = create({
      setTimeout: (callback: () => void) => {
        callback();
        callback();
        return { cancel: () => {} };
      },
    });
    let runs = 0;
    guarded.setTimeout(() => {
      runs += 1;
    }, 100);
    guarded.setTimeout(fail, 100).cancel();
    expect(platform.timers).toBe(1);
    await platform.advance(99);
    expect(runs).toBe(0);
    await platform.advance(1);
    expect(runs).toBe(1);
    expect(failures[0]).toContain('must not call back before it returns');
  });
});

describe('a timer', () => {
  it('runs once where a clock calls back again and again', () => {
    let callback = () => {};
    const { guarded } = create({
      setTimeout: (given: () => void) => {
        callback = given;
        return { cancel: () => {} };
      },
    });
    let runs = 0;
    guarded.setTimeout(() => {
      runs += 1;
    }, 100);
    callback();
    callback();
    expect(runs).toBe(1);
  });

  it('that was cancelled does not run, though the clock cannot cancel it', () => {
    let callback = () => {};
    const { guarded, failures } = create({
      setTimeout: (given: () => void) => {
        callback = given;
        return { cancel: fail };
      },
    });
    const timer = guarded.setTimeout(fail, 100);
    timer.cancel();
    callback();
    expect(failures).toEqual(['Error: out of order']);
  });
});
