import { describe, expect, it } from 'vitest';
import { createDeadline } from '../../src/deadline.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { platform } from '../../src/platform/node.ts';

const { onAbort } = platform;

describe('many deadlines with one signal', () => {
  it('end when it aborts, and share one listener', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    let listeners = 0;
    const add = controller.signal.addEventListener.bind(controller.signal);
    controller.signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    const never = new Promise<void>(() => {});
    const start = () => createDeadline({ clock, onAbort }, { signal: controller.signal }, 1_000);
    const all = Array.from({ length: 50 }, () => start().wait(never));
    await start().wait(Promise.resolve());
    expect(listeners).toBe(1);
    controller.abort();
    await Promise.all(all);
    expect(clock.timers).toBe(0);
  });
});
