import { describe, expect, it } from 'vitest';
import { Alarm } from '../../src/base/alarm.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';

function create(): { clock: VirtualClock; alarm: Alarm; calls: boolean[] } {
  const clock = new VirtualClock();
  const calls: boolean[] = [];
  // Records whether the alarm is set when it calls back.
  const alarm: Alarm = new Alarm(clock, () => calls.push(alarm.isSet));
  return { clock, alarm, calls };
}

describe('an alarm', () => {
  it('calls back once, at its time, and may be set again', async () => {
    const { clock, alarm, calls } = create();
    for (let times = 0; times < 2; times += 1) {
      alarm.set(10);
      await clock.advance(9);
      expect([alarm.isSet, calls.length]).toEqual([true, times]);
      await clock.advance(1);
      expect([alarm.isSet, calls.length]).toEqual([false, times + 1]);
    }
    expect(calls).toEqual([false, false]);
  });

  it('that is set stays as it is', async () => {
    const { clock, alarm, calls } = create();
    alarm.set(10);
    alarm.set(1);
    await clock.advance(9);
    expect(calls).toEqual([]);
    expect(clock.timers).toBe(1);
  });

  it('that is cancelled leaves no timer behind, and may be set again', async () => {
    const { clock, alarm, calls } = create();
    alarm.cancel();
    alarm.set(10);
    alarm.cancel();
    expect([alarm.isSet, clock.timers]).toEqual([false, 0]);
    alarm.set(10);
    await clock.advance(10);
    expect(calls).toEqual([false]);
  });

  it('says when it calls back', async () => {
    const { clock, alarm } = create();
    expect(alarm.until).toBeUndefined();
    const at = clock.now();
    alarm.set(10);
    await clock.advance(4);
    alarm.set(1_000);
    expect(alarm.until).toBe(at + 10);
    await clock.advance(6);
    expect(alarm.until).toBeUndefined();
  });

  it('says so in time that is left at most, where the time of day was set back', () => {
    const time = new SkewedClock(new VirtualClock());
    const alarm = new Alarm(time, () => {});
    alarm.set(10);
    time.skewMs = -1_000;
    expect(alarm.until).toBe(time.now() + 10);
  });

  it('that is stopped never calls back, and cannot be set again', async () => {
    const { clock, alarm, calls } = create();
    alarm.set(10);
    alarm.stop();
    alarm.set(10);
    expect([alarm.isStopped, alarm.isSet, alarm.until, clock.timers]).toEqual([true, false, undefined, 0]);
    await clock.advance(100);
    expect(calls).toEqual([]);
  });
});
