import type { Clock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TIMING } from '../../src/journal/options.ts';
import { moment } from '../../src/slots/moment.ts';
import type { SlotTable } from '../../src/slots/slot-table.ts';
import type { Tenure } from '../../src/slots/tenure.ts';
import { Tenures } from '../../src/slots/tenures.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** The timers of the system's clock are not faked: they keep no process alive. */
const clock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

const tenureOf = (slot: number): Tenure => ({
  ...{ slot, epoch: 1, outbox: undefined },
  ...{ isOwn: false, isLost: false },
});

it('a slot whose answer came late is renewed at once, and relied on only from when it was asked for', async () => {
  let isAway = false;
  const renewed: number[][] = [];
  const renew = async (asked: readonly Tenure[]) => {
    if (isAway) throw new Error('PostgreSQL is away');
    renewed.push(asked.map(({ slot }) => slot));
    return [...asked];
  };
  // The cast is safe: nothing else of the table is used.
  const slots = { renew } as Partial<SlotTable> as SlotTable;
  const tenures = new Tenures({ ...TIMING, slots, clock, onLost() {}, onRegained() {} });
  const [early, late, later] = [tenureOf(1), tenureOf(2), tenureOf(3)];
  const start = moment();
  tenures.add([early], start);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(renewed).toEqual([[1]]);
  tenures.add([late], start);
  await vi.advanceTimersByTimeAsync(1);
  expect(renewed).toEqual([[1], [1, 2]]);
  const askedAt = moment();
  await vi.advanceTimersByTimeAsync(9_000);
  isAway = true;
  tenures.add([later], askedAt);
  await vi.advanceTimersByTimeAsync(TIMING.heldMs - 9_000 - 10);
  expect(later.isLost).toBe(false);
  await vi.advanceTimersByTimeAsync(10);
  expect(later.isLost).toBe(true);
  tenures.stop();
});

it('only the slots that are too old are lost', async () => {
  // The cast is safe: nothing else of the table is used.
  const slots = {
    renew: async () => Promise.reject(new Error('PostgreSQL is away')),
  } as unknown as SlotTable;
  const tenures = new Tenures({ ...TIMING, slots, clock, onLost() {}, onRegained() {} });
  const [early, late] = [tenureOf(1), tenureOf(2)];
  tenures.add([early], moment());
  await vi.advanceTimersByTimeAsync(2_000);
  tenures.add([late], moment());
  await vi.advanceTimersByTimeAsync(TIMING.heldMs - 2_000);
  expect([early.isLost, late.isLost]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(late.isLost).toBe(true);
  tenures.stop();
});
