import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import { abortAfter, inTime, sleep } from '../../src/toolbox/index.ts';

/** Lets all work finish that waits for no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

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
    clock.advance(499);
    await settle();
    expect(awake.value).toBe(false);
    clock.advance(1);
    await settle();
    expect(awake.value).toBe(true);
  });

  it('ends when the signal aborts, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const awake = isAwake(sleep(clock, 500, controller.signal));
    controller.abort();
    await settle();
    expect(awake.value).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('ends at once on a clock that calls back at once', async () => {
    const clock = {
      now: () => 0,
      setTimeout(callback: () => void) {
        callback();
        return { cancel() {} };
      },
    };
    await sleep(clock, 500, new AbortController().signal);
  });

  it('does not begin where the signal has aborted before', async () => {
    const clock = new VirtualClock();
    await sleep(clock, 500, AbortSignal.abort());
    expect(clock.pending).toBe(0);
  });
});

describe('what is waited for in time', () => {
  const giveUp = () => new Error('too late');

  it('is given as it is, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    expect(await inTime(clock, Promise.resolve('done'), 500, giveUp)).toBe('done');
    await expect(inTime(clock, Promise.reject(new Error('failed')), 500, giveUp)).rejects.toThrow('failed');
    expect(clock.pending).toBe(0);
  });

  it('is given up when its time is over, not before', async () => {
    const clock = new VirtualClock();
    let gaveUp = 0;
    const waiting = inTime(clock, new Promise<void>(() => {}), 500, () => {
      gaveUp += 1;
      return giveUp();
    });
    const outcome = expect(waiting).rejects.toThrow('too late');
    clock.advance(499);
    await settle();
    expect(gaveUp).toBe(0);
    clock.advance(1);
    await settle();
    await outcome;
    expect(gaveUp).toBe(1);
  });

  it('keeps a process alive only where its caller says so', async () => {
    const kept: unknown[] = [];
    const clock = {
      now: () => 0,
      setTimeout(_callback: () => void, _delayMs: number, keepAlive?: boolean) {
        kept.push(keepAlive);
        return { cancel() {} };
      },
    };
    await inTime(clock, Promise.resolve(), 500, giveUp);
    await inTime(clock, Promise.resolve(), 500, giveUp, true);
    expect(kept).toEqual([undefined, true]);
  });
});

describe('a signal with a time limit', () => {
  it('aborts when the time is over', () => {
    const clock = new VirtualClock();
    const { signal } = abortAfter(clock, 500, new AbortController().signal);
    clock.advance(499);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it('aborts with the other signal, also with one that has aborted before', () => {
    const other = new AbortController();
    const { signal } = abortAfter(new VirtualClock(), 500, other.signal);
    expect(signal.aborted).toBe(false);
    other.abort();
    expect(signal.aborted).toBe(true);
    expect(abortAfter(new VirtualClock(), 500, other.signal).signal.aborted).toBe(true);
  });

  it('leaves no timer and does not abort once it is cancelled', () => {
    const clock = new VirtualClock();
    const other = new AbortController();
    const { signal, cancel } = abortAfter(clock, 500, other.signal);
    cancel();
    other.abort();
    expect(signal.aborted).toBe(false);
    expect(clock.pending).toBe(0);
  });
});
