import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Tracker, type Transport } from '@sluice/core';
import { numberedUuid } from '../processes/numbered-uuid.ts';
import type { Random } from './random.ts';

const MOST_PADDING = 300;

/** Never answers, and gives up when it is told to. */
const silence: Transport = {
  post: ({ signal }) =>
    new Promise((resolve) => {
      const cause = new Error('nobody answers');
      signal.addEventListener('abort', () => resolve({ kind: 'failed', cause, maybeSent: false }));
    }),
  close: async () => undefined,
};

/** Leaves one journal for each life in a directory, as processes leave them that end before they could deliver. */
export async function leaveJournals(
  directory: string,
  lives: readonly number[],
  events: number,
  random: Random,
): Promise<void> {
  const trackers: Tracker[] = [];
  for (const life of lives) {
    const tracker = createTracker({
      baseUrl: 'http://127.0.0.1:9',
      correlationKey: 'email',
      journalDirectory: directory,
      fsync: 'never',
      commitIntervalMs: 0,
      transport: silence,
    });
    trackers.push(tracker);
    for (let number = 0; number < events; number += 1) {
      const payload = { number, padding: 'ä'.repeat(random(MOST_PADDING)) };
      const uuid = numberedUuid(life, number);
      tracker.track('numbered', payload, { uuid, correlationValue: 'ada@example.com' });
    }
  }
  // All live at the same time: one that opens later would adopt what one that has closed left.
  for (const tracker of trackers) while (tracker.stats().unwritten > 0) await pause(1);
  await Promise.all(trackers.map((tracker) => tracker.close({ timeoutMs: 0 })));
}
