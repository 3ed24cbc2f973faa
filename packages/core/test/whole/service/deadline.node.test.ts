import type { Clock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { createDeadline, type Deadline } from '../../../src/deadline.ts';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { platform } from '../../../src/platform/node.ts';

const { onAbort } = platform;

const NEVER = new Promise<void>(() => {});

/** Records the state of a promise. */
function watch(promise: Promise<void>): { state: 'waiting' | 'resolved' | 'rejected' } {
  const seen: { state: 'waiting' | 'resolved' | 'rejected' } = { state: 'waiting' };
  promise.then(
    () => {
      seen.state = 'resolved';
    },
    () => {
      seen.state = 'rejected';
    },
  );
  return seen;
}

/** A controller that counts the listeners of its signal. */
class CountingController extends AbortController {
  listeners = 0;

  constructor() {
    super();
    const { signal } = this;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...parameters: Parameters<typeof add>) => {
      this.listeners += 1;
      add(...parameters);
    };
    signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
      this.listeners -= 1;
      remove(...parameters);
    };
  }
}

function deadline(clock: Clock, timeoutMs: number, signal?: AbortSignal): Deadline {
  return createDeadline({ clock, onAbort }, { timeoutMs, signal }, 5_000);
}

describe('a deadline', () => {
  it('resolves with the work, and leaves no timer and no listener behind', async () => {
    const clock = new VirtualClock();
    const controller = new CountingController();
    const wait = watch(deadline(clock, 1_000, controller.signal).wait(Promise.resolve()));
    await settle();
    expect(wait.state).toBe('resolved');
    expect([clock.timers, controller.listeners]).toEqual([0, 0]);
  });

  it('resolves at the time-out, not before, where the work takes longer', async () => {
    const clock = new VirtualClock();
    const controller = new CountingController();
    const wait = watch(deadline(clock, 1_000, controller.signal).wait(NEVER));
    await clock.advance(999);
    expect(wait.state).toBe('waiting');
    await clock.advance(1);
    expect(wait.state).toBe('resolved');
    expect([clock.timers, controller.listeners]).toEqual([0, 0]);
  });

  it('resolves when the signal aborts', async () => {
    const clock = new VirtualClock();
    const controller = new CountingController();
    const wait = watch(deadline(clock, 1_000, controller.signal).wait(NEVER));
    await settle();
    expect(wait.state).toBe('waiting');
    controller.abort();
    await settle();
    expect(wait.state).toBe('resolved');
    expect([clock.timers, controller.listeners]).toEqual([0, 0]);
  });

  it('does not wait at all where the signal has aborted before', async () => {
    const clock = new VirtualClock();
    const wait = watch(deadline(clock, 1_000, AbortSignal.abort()).wait(NEVER));
    await settle();
    expect(wait.state).toBe('resolved');
    expect(clock.timers).toBe(0);
  });

  it('rejects as the work does, and leaves no timer and no listener behind', async () => {
    const clock = new VirtualClock();
    const controller = new CountingController();
    const wait = watch(deadline(clock, 1_000, controller.signal).wait(Promise.reject(new Error('work'))));
    await settle();
    expect(wait.state).toBe('rejected');
    expect([clock.timers, controller.listeners]).toEqual([0, 0]);
  });

  it('keeps the process alive while it waits', () => {
    let keptAlive: boolean | undefined;
    const clock: Clock = {
      now: () => 0,
      setTimeout: (_callback, _delayMs, keepAlive) => {
        keptAlive = keepAlive;
        return { cancel: () => {} };
      },
    };
    void deadline(clock, 1_000, undefined).wait(NEVER);
    expect(keptAlive).toBe(true);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'waits as long as a timer can where it is given %d ms: longer ones fire at once',
    (timeoutMs) => {
      const delays: number[] = [];
      const clock: Clock = {
        now: () => 0,
        setTimeout: (_callback, delayMs) => {
          delays.push(delayMs);
          return { cancel: () => {} };
        },
      };
      void deadline(clock, timeoutMs, undefined).wait(NEVER);
      expect(delays).toEqual([2 ** 31 - 1]);
    },
  );
});

describe('many deadlines with one signal', () => {
  it('end when it aborts', async () => {
    const clock = new VirtualClock();
    const controller = new CountingController();
    const all = Array.from({ length: 50 }, () => deadline(clock, 1_000, controller.signal).wait(NEVER));
    controller.abort();
    await Promise.all(all);
    expect([clock.timers, controller.listeners]).toEqual([0, 0]);
  });

  it('survive a signal that breaks its word', async () => {
    const { signal } = new AbortController();
    signal.addEventListener = () => {
      throw new Error('a bad signal');
    };
    signal.removeEventListener = signal.addEventListener;
    await deadline(new VirtualClock(), 1_000, signal).wait(Promise.resolve());
  });
});

describe('what a deadline is given', () => {
  it('counts as the default where it throws', () => {
    const thrower = new Proxy(
      {},
      {
        get() {
          throw new Error('a getter that throws');
        },
      },
    );
    expect(createDeadline({ clock: new VirtualClock(0) }, thrower, 5).at).toBe(5);
  });
});
