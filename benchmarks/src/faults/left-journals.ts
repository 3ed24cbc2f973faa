import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Transport } from '@sluice/core';
import { FileJournal } from '@sluice/core/file-journal';
import { NOBODY } from '../processes/nobody.ts';
import { numberedUuid } from '../processes/numbered-uuid.ts';
import { scaledClock } from './processes/scaled-clock.ts';
import { createRandom, type Random } from './random.ts';

const MOST_PADDING = 200;
const BATCH_EVENTS = 4;
const WRITE_EVENTS = 8;
const SIDE_BY_SIDE = 6;
const SLOT = /^[0-9a-f]{16}\.[0-9a-f]{16}$/;

/** What a process left. */
export interface LeftJournal {
  readonly life: number;
  readonly events: number;
  /** A segment is followed by the next one from this size on, in bytes. */
  readonly segmentBytes: number;
  /** So many of its first events were delivered and released, or a few more. */
  readonly released: number;
}

/** Leaves journals side by side in a directory, as processes leave them that end before they could deliver all. */
export async function leaveJournals(
  directory: string,
  journals: readonly LeftJournal[],
  random: Random,
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  // Whatever is done first, each gets the same choices for the same seed.
  const waiting = journals.map((journal) => ({ journal, random: createRandom(random(2 ** 32)) }));
  const leaveAll = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      // Each in a place of its own at first: the next one would adopt it otherwise.
      const place = `${directory}-${next.journal.life}`;
      await leaveJournal(place, next.journal, next.random);
      for (const slot of readdirSync(place).filter((name) => SLOT.test(name))) {
        renameSync(join(place, slot), join(directory, slot));
      }
      rmSync(place, { recursive: true });
    }
  };
  // Most of the time they wait for the disk.
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, leaveAll));
}

async function leaveJournal(
  directory: string,
  { life, events, segmentBytes, released }: LeftJournal,
  random: Random,
): Promise<void> {
  const isTaking = () => tracker.stats().delivered < released;
  const written = async () => {
    while (tracker.stats().unwritten > 0) await pause(1);
  };
  const tracker = createTracker({
    ...{ baseUrl: NOBODY, correlationKey: 'email', transport: takeWhile(isTaking), commitIntervalMs: 0 },
    journal: new FileJournal({ directory, fsync: 'never', clock: scaledClock(1), segmentBytes }),
    batch: { maxEvents: BATCH_EVENTS, maxWaitMs: 0 },
    delivery: { concurrency: 1 },
  });
  for (let number = 0; number < events; number += 1) {
    const payload = { number, padding: 'ä'.repeat(random(MOST_PADDING)) };
    const uuid = numberedUuid(life, number);
    tracker.track('numbered', payload, { uuid, correlationValue: 'ada@example.com' });
    // More than one write, and with it more than one segment where those are small.
    if (number % WRITE_EVENTS === WRITE_EVENTS - 1) await written();
  }
  await written();
  while (isTaking()) await pause(1);
  await tracker.close({ timeoutMs: 0 });
}

/** Takes requests for a while; then it is silent, and gives up when it is told to. */
function takeWhile(isTaking: () => boolean): Transport {
  return {
    post({ signal }) {
      if (isTaking()) {
        return Promise.resolve({ kind: 'answered', status: 200, retryAfter: undefined, body: '' });
      }
      return new Promise((resolve) => {
        const cause = new Error('nobody answers');
        signal.addEventListener('abort', () => resolve({ kind: 'failed', cause, maybeSent: false }));
      });
    },
    close: async () => undefined,
  };
}
