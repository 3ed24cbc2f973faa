import { describe, expect, it } from 'vitest';
import { ada, describePresets, expectBalanced, lettersOf, poison, set, trackMany } from './presets.ts';

// The long tests have the other presets.
describePresets(['strict']);

describe('a service that answers a wrong key as a bad event', () => {
  it('makes no dead letter where the policy is to pause', async () => {
    const { emulator, tracker } = await set(
      { preset: 'legacy' },
      { delivery: { policy: { '400': 'pause' } } },
    );
    const { apiKey } = emulator;
    tracker.setApiKey('wrong');
    trackMany(tracker, 50);
    expect(await tracker.flush()).toMatchObject({ delivered: 0, deadLettered: 0, pending: 50 });
    expect(tracker.stats().pause).toMatchObject({ reason: 'policy', status: 400 });
    tracker.setApiKey(apiKey);
    expect(await tracker.flush()).toMatchObject({ delivered: 50, pending: 0 });
    expect(await emulator.countEvents()).toEqual({ unique: 50, received: 50 });
    expectBalanced(tracker);
  });
});

describe('verdicts', () => {
  it('on many events of one batch make each of them a dead letter with its reason', async () => {
    const { emulator, tracker } = await set({ preset: 'strict', faults: poison });
    for (let number = 0; number < 90; number += 1) {
      tracker.track('mixed', { number, poison: number % 3 === 0 }, ada);
    }
    expect(await tracker.flush()).toEqual({ delivered: 60, deadLettered: 30, dropped: 0, pending: 0 });
    expect(await emulator.countEvents()).toEqual({ unique: 60, received: 60 });
    const letters = await lettersOf(tracker);
    expect(letters.map(({ event }) => Object(event.payload).number)).toEqual(
      Array.from({ length: 30 }, (_, n) => n * 3),
    );
    expect(letters[1]).toMatchObject({ excerpt: expect.stringContaining('batch[3] was refused by a fault') });
  });
});
