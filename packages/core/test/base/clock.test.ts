import { describe, expect, it } from 'vitest';
import { inTime, sleep } from '../../src/base/clock.ts';
import { settle, VirtualClock } from '../bench/virtual-clock.ts';

function isAwake(promise: Promise<void>): { value: boolean } {
  const seen = { value: false };
  void promise.then(() => {
    seen.value = true;
  });
  return seen;
}

describe('sleep', () => {
  it('lasts as long as it is told to', async () => {
    const clock = new VirtualClock();
    const awake = isAwake(sleep(clock, 500, new AbortController().signal));
    await clock.advance(499);
    expect(awake.value).toBe(false);
    await clock.advance(1);
    expect(awake.value).toBe(true);
  });

  it('ends when the signal aborts, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const awake = isAwake(sleep(clock, 500, controller.signal));
    controller.abort();
    await settle();
    expect(awake.value).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('does not begin where the signal has aborted before', async () => {
    const clock = new VirtualClock();
    await sleep(clock, 500, AbortSignal.abort());
    expect(clock.timers).toBe(0);
  });
});

describe('what is waited for in time', () => {
  const giveUp = () => new Error('too late');

  it('is given as it is, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    expect(await inTime(clock, Promise.resolve('done'), 500, giveUp)).toBe('done');
    await expect(inTime(clock, Promise.reject(new Error('failed')), 500, giveUp)).rejects.toThrow('failed');
    expect(clock.timers).toBe(0);
  });

  it('is given up when its time is over, not before', async () => {
    const clock = new VirtualClock();
    let gaveUp = 0;
    const waiting = inTime(clock, new Promise<void>(() => {}), 500, () => {
      gaveUp += 1;
      return giveUp();
    });
    const outcome = expect(waiting).rejects.toThrow('too late');
    await clock.advance(499);
    expect(gaveUp).toBe(0);
    await clock.advance(1);
    await outcome;
    expect(gaveUp).toBe(1);
  });
});
