import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Epochs } from '../../src/wait/epochs.ts';
import { settle } from '../bench/virtual-clock.ts';

/** Ends the epoch. `isDone` says whether its promise has resolved. */
function turn(epochs: Epochs): { readonly isDone: boolean } {
  const state = { isDone: false };
  void epochs.turn(new AbortController().signal).then(() => {
    state.isDone = true;
  });
  return state;
}

describe('Epochs', () => {
  it('has nothing to wait for where nothing came', async () => {
    const flush = turn(new Epochs());
    await settle();
    expect(flush.isDone).toBe(true);
  });

  it('waits for the last event of the epoch', async () => {
    const epochs = new Epochs();
    const epoch = epochs.enter(3);
    const flush = turn(epochs);
    epochs.settle(epoch, 2);
    await settle();
    expect(flush.isDone).toBe(false);
    epochs.settle(epoch, 1);
    await settle();
    expect(flush.isDone).toBe(true);
  });

  it('does not wait for what came later', async () => {
    const epochs = new Epochs();
    const before = epochs.enter(1);
    const flush = turn(epochs);
    const after = epochs.enter(1);
    expect(after).not.toBe(before);
    epochs.settle(before, 1);
    await settle();
    expect(flush.isDone).toBe(true);
  });

  it('waits for earlier epochs also where later ones are settled first', async () => {
    const epochs = new Epochs();
    const first = epochs.enter(1);
    const early = turn(epochs);
    const second = epochs.enter(1);
    const late = turn(epochs);
    epochs.settle(second, 1);
    await settle();
    expect([early.isDone, late.isDone]).toEqual([false, false]);
    epochs.settle(first, 1);
    await settle();
    expect([early.isDone, late.isDone]).toEqual([true, true]);
  });

  it('serves several flushes of which nothing lies between', async () => {
    const epochs = new Epochs();
    const epoch = epochs.enter(1);
    const flushes = [turn(epochs), turn(epochs), turn(epochs)];
    await settle();
    expect(flushes.map(({ isDone }) => isDone)).toEqual([false, false, false]);
    epochs.settle(epoch, 1);
    await settle();
    expect(flushes.map(({ isDone }) => isDone)).toEqual([true, true, true]);
  });

  it('goes on with an epoch that was empty for a while', async () => {
    const epochs = new Epochs();
    epochs.settle(epochs.enter(1), 1);
    const epoch = epochs.enter(1);
    const flush = turn(epochs);
    await settle();
    expect(flush.isDone).toBe(false);
    epochs.settle(epoch, 1);
    await settle();
    expect(flush.isDone).toBe(true);
  });

  it('has nothing to wait for where no events were counted in', async () => {
    const epochs = new Epochs();
    epochs.enter(0);
    const flush = turn(epochs);
    await settle();
    expect(flush.isDone).toBe(true);
  });

  it('resolves each flush with the last event before it, in any order of events', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('settle' as const), pick: fc.nat() }),
      fc.record({ kind: fc.constant('turn' as const), pick: fc.nat() }),
    );
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const epochs = new Epochs();
      let unsettled: { readonly epoch: number; readonly number: number }[] = [];
      const flushes: { readonly state: { readonly isDone: boolean }; readonly before: number }[] = [];
      let entered = 0;
      for (const step of steps) {
        if (step.kind === 'enter') {
          const epoch = epochs.enter(step.count);
          for (let count = 0; count < step.count; count += 1) unsettled.push({ epoch, number: entered++ });
        } else if (step.kind === 'turn') {
          flushes.push({ state: turn(epochs), before: entered });
        } else {
          const event = unsettled[step.pick % Math.max(1, unsettled.length)];
          if (event === undefined) continue;
          unsettled = unsettled.filter((other) => other !== event);
          epochs.settle(event.epoch, 1);
        }
        await settle();
        for (const { state, before } of flushes) {
          expect(state.isDone).toBe(unsettled.every(({ number }) => number >= before));
        }
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
