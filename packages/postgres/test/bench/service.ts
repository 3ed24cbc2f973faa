import { createTracker, type Tracker } from '@sluice/core';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { type PostgresJournalOptions, postgresJournal } from '../../src/index.ts';

export const ADA = { correlationValue: 'ada@example.com' };

interface Service {
  /** A tracker that ends with the test. */
  track(journal: PostgresJournalOptions): Tracker;
  /** Waits until the events of `numbered()` have arrived, each once and in their order. */
  arrived(name: string, count: number): Promise<void>;
}

/** An emulator for the tests of a `describe`. */
export function useService(): Service {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ primaryKey: 'email' });
  });
  afterAll(() => emulator?.close());

  return {
    track(journal) {
      const { baseUrl, apiKey } = emulator;
      const tracker = createTracker({
        ...{ baseUrl, apiKey, correlationKey: 'email', ordering: 'per-customer', batch: { maxWaitMs: 10 } },
        journal: postgresJournal(journal),
      });
      onTestFinished(async () => void (await tracker.close({ timeoutMs: 1_000 })));
      return tracker;
    },
    async arrived(name, count) {
      await vi.waitFor(async () => {
        expect(await emulator.countEvents({ name })).toMatchObject({ unique: count, received: count });
      }, PATIENCE);
      const events = await emulator.events({ name });
      expect(events.map(({ event }) => event.payload?.index)).toEqual([...Array(count).keys()]);
    },
  };
}

/** Events for `trackAll()`, of one customer. */
export function numbered(name: string, count: number) {
  return Array.from({ length: count }, (_, index) => ({ name, payload: { index }, ...ADA }));
}

/** Tracks the events of `numbered()`. */
export function trackNumbered(tracker: Tracker, name: string, count: number): void {
  for (const { payload } of numbered(name, count)) tracker.track(name, payload, ADA);
}
