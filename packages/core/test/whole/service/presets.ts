// Delivery to each preset of the emulator. A preset is a plausible version of what the service's interface does not tell.
import { type EmulatorOptions, type PresetName, startEmulator } from '@sluice/emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Classify,
  createTracker,
  type DeadLetter,
  type Tracker,
  type TrackerOptions,
} from '../../../src/index.ts';

export const EVENTS = 3_000;
export const ada = { correlationValue: 'ada@example.com' };
/** Events that the service refuses, although the tracker sees nothing wrong in them. */
export const poison: EmulatorOptions['faults'] = [{ kind: 'poison', pattern: '"poison":true' }];

/** Reads verdicts as the preset `strict` gives them. Other answers contain none. */
const classify: Classify = ({ status, body }) => {
  if (status !== 207) return [];
  const { rejected }: { rejected: { index: number; message: string }[] } = JSON.parse(body);
  return rejected.map(({ index, message }) => ({ index, reason: message }));
};

export async function set(
  options: EmulatorOptions,
  ofTracker: Partial<TrackerOptions> = {},
  finished: typeof onTestFinished = onTestFinished,
) {
  const emulator = await startEmulator({ primaryKey: 'email', ...options });
  const tracker = createTracker({
    ...{ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email', journal: 'memory' },
    ...ofTracker,
    delivery: { retryBaseMs: 5, retryMaxMs: 100, classify, ...ofTracker.delivery },
  });
  finished(async () => {
    await tracker.close({ timeoutMs: 0 });
    await emulator.close();
  });
  return { emulator, tracker };
}

export function trackMany(tracker: Tracker, count = EVENTS): void {
  for (let number = 0; number < count; number += 1) tracker.track('good', { number }, ada);
}

export function expectBalanced(tracker: Tracker): void {
  const { accepted, recovered, delivered, deadLettered, dropped, pending } = tracker.stats();
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  expect(accepted + recovered).toBe(delivered + deadLettered + lost + pending);
}

export async function lettersOf(tracker: Tracker): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for await (const letter of tracker.deadLetters.list()) letters.push(letter);
  return letters;
}

/** Tests of delivery to each of these presets. */
export function describePresets(presets: readonly PresetName[]): void {
  describe.each(presets)('a service of the preset %s', (preset) => {
    it('gets each of many events once, and the books balance', async () => {
      const { emulator, tracker } = await set({ preset });
      trackMany(tracker);
      expect(await tracker.flush()).toEqual({ delivered: EVENTS, deadLettered: 0, dropped: 0, pending: 0 });
      expect(await emulator.countEvents()).toEqual({ unique: EVENTS, received: EVENTS });
      expectBalanced(tracker);
      const numbers = (await emulator.events()).map(({ event }) => event.payload?.number);
      expect(new Set(numbers).size).toBe(EVENTS);
    });

    it('gets the good events around a bad one, which alone becomes a dead letter', async () => {
      const { emulator, tracker } = await set({ preset, faults: poison });
      trackMany(tracker, 700);
      tracker.track('bad', { poison: true }, ada);
      trackMany(tracker, 700);
      expect(await tracker.flush()).toEqual({ delivered: 1_400, deadLettered: 1, dropped: 0, pending: 0 });
      expect(await emulator.countEvents()).toEqual({ unique: 1_400, received: 1_400 });
      expectBalanced(tracker);
      const letters = await lettersOf(tracker);
      expect(letters.map(({ event }) => event.event)).toEqual(['bad']);
    });

    it('gets all of it in bodies of the size that it takes', async () => {
      const { emulator, tracker } = await set({ preset, behaviour: { maxBodyBytes: 20_000 } });
      trackMany(tracker, 1_000);
      expect(await tracker.flush()).toMatchObject({ delivered: 1_000, deadLettered: 0, pending: 0 });
      expect(await emulator.countEvents()).toEqual({ unique: 1_000, received: 1_000 });
      expectBalanced(tracker);
    });

    it('gets what it took and could not say so again, and keeps it once', async () => {
      const faults: EmulatorOptions['faults'] = [{ kind: 'lost-answer', times: 3 }];
      const { emulator, tracker } = await set({ preset, faults }, { batch: { maxEvents: 60 } });
      trackMany(tracker, 600);
      expect(await tracker.flush()).toMatchObject({ delivered: 600, deadLettered: 0, pending: 0 });
      expect(await emulator.countEvents()).toEqual({ unique: 600, received: 780 });
      expect(tracker.stats().maybeDuplicate).toBe(180);
      expectBalanced(tracker);
    });
  });

  // The presets run at the same time, because they mostly wait.
  describe.concurrent('a service that takes so many requests in a second', () => {
    it.for(presets)(
      'is not sent more, and gets all of it: %s',
      async (preset, { expect, onTestFinished }) => {
        // A limit that any machine exceeds.
        const behaviour = { maxRequestsPerSecond: 1 };
        const { emulator, tracker } = await set(
          { preset, behaviour },
          { batch: { maxEvents: 60 } },
          onTestFinished,
        );
        trackMany(tracker, 180);
        expect(await tracker.flush()).toMatchObject({ delivered: 180, pending: 0 });
        expect(await emulator.countEvents()).toEqual({ unique: 180, received: 180 });
        const refused = await emulator.requests({ outcome: 'refused', limit: 1_000 });
        expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set(['rate_limited']));
        expect(tracker.stats().requests.failed).toBe(refused.length);
        // The tracker slows down: a few refusals tell it the rate.
        expect(refused.length).toBeLessThan(20);
        expectBalanced(tracker);
      },
    );
  });

  describe.concurrent('a service that is told the right key after a wrong one', () => {
    it.for(presets)(
      '%s, gets all, also what was refused for the wrong one',
      async (preset, { expect, onTestFinished }) => {
        const { emulator, tracker } = await set({ preset }, {}, onTestFinished);
        const { apiKey } = emulator;
        tracker.setApiKey('wrong');
        trackMany(tracker, 50);
        await expect.poll(() => tracker.stats().pause).toBeDefined();
        const { delivered, deadLettered } = tracker.stats();
        expect(delivered).toBe(0);
        // If the service answers a wrong key like a bad event, the tracker first blames the event.
        if (preset === 'legacy') expect(deadLettered).toBeLessThanOrEqual(10);
        else expect(deadLettered).toBe(0);
        tracker.setApiKey(apiKey);
        expect(await tracker.deadLetters.replay()).toBe(deadLettered);
        expect(await tracker.flush()).toMatchObject({ pending: 0 });
        expect(await emulator.countEvents()).toEqual({ unique: 50, received: 50 });
        expectBalanced(tracker);
      },
    );
  });
}
