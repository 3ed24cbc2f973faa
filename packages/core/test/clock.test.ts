import { describe, expect, it } from 'vitest';
import { sleep } from '../src/clock.ts';
import { settle, VirtualClock } from './virtual-clock.ts';

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
