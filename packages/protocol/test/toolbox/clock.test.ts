import { expect, it } from 'vitest';
import { systemClock } from '../../src/toolbox/index.ts';

it('the clock of the system tells the time and calls back, but not once a timer is cancelled', async () => {
  const before = Date.now();
  let early = 0;
  const cancelled = systemClock.setTimeout(() => (early += 1), 0);
  cancelled.cancel();
  await new Promise<void>((resolve) => systemClock.setTimeout(resolve, 1, true));
  expect(early).toBe(0);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});
