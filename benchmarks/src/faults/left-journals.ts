import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Transport } from '@sluice/core';
import { numberedUuid } from '../processes/numbered-uuid.ts';
import type { Random } from './random.ts';

const MOST_PADDING = 300;
const SLOT = /^[0-9a-f]{16}\.[0-9a-f]{16}$/;

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
  mkdirSync(directory, { recursive: true });
  for (const life of lives) {
    // Each in a place of its own at first: the next one would adopt it otherwise.
    const place = `${directory}-${life}`;
    await leaveJournal(place, life, events, random);
    for (const slot of readdirSync(place).filter((name) => SLOT.test(name))) {
      renameSync(join(place, slot), join(directory, slot));
    }
  }
}

async function leaveJournal(
  journalDirectory: string,
  life: number,
  events: number,
  random: Random,
): Promise<void> {
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', transport: silence },
    ...{ journalDirectory, fsync: 'never', commitIntervalMs: 0 },
  });
  for (let number = 0; number < events; number += 1) {
    const payload = { number, padding: 'ä'.repeat(random(MOST_PADDING)) };
    const uuid = numberedUuid(life, number);
    tracker.track('numbered', payload, { uuid, correlationValue: 'ada@example.com' });
  }
  while (tracker.stats().unwritten > 0) await pause(1);
  await tracker.close({ timeoutMs: 0 });
}
