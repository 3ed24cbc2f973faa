import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/deadline.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';

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
    const all = Array.from({ length: 50 }, () => new Deadline(clock, 1_000, controller.signal).wait(never));
    const early = new Deadline(clock, 1_000, controller.signal).wait(Promise.resolve());
    await early;
    expect(listeners).toBe(1);
    controller.abort();
    await Promise.all(all);
    expect(clock.timers).toBe(0);
  });
});
