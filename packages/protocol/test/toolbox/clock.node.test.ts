import { expect, it } from 'vitest';
import { systemClock } from '../../src/toolbox/index.ts';

/** Number of timers that keep this process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}

it('a timer of the system keeps the process alive only where its caller says so', () => {
  const before = timers();
  const timer = systemClock.setTimeout(() => {}, 60_000);
  expect(timers()).toBe(before);
  const kept = systemClock.setTimeout(() => {}, 60_000, true);
  expect(timers()).toBe(before + 1);
  timer.cancel();
  kept.cancel();
  expect(timers()).toBe(before);
});
