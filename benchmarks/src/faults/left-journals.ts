import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Tracker, type Transport } from '@sluice/core';
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

/** A journal that a process leaves. */
export interface LeftJournal {
  readonly life: number;
  readonly events: number;
  /** Size in bytes at which the next segment begins. */
  readonly segmentBytes: number;
  /** How many of its first events were delivered and released, or a few more. */
  readonly released: number;
}

/** Leaves journals in one directory, as processes do that end before they have delivered all events. */
export async function leaveJournals(
  directory: string,
  journals: readonly LeftJournal[],
  random: Random,
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  // A random generator for each journal: its choices depend on the seed, not on the order of the work.
  const waiting = journals.map((journal) => ({ journal, random: createRandom(random(2 ** 32)) }));
  const leaveAll = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      // Each journal is first made in a directory of its own, because the next tracker would adopt it.
      const place = `${directory}-${next.journal.life}`;
      await leaveJournal(place, next.journal, next.random);
      for (const slot of readdirSync(place).filter((name) => SLOT.test(name))) {
        renameSync(join(place, slot), join(directory, slot));
      }
      rmSync(place, { recursive: true });
    }
  };
  // In parallel, because they mostly wait for the disk.
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
  const tracker: Tracker = createTracker({
    logger: false,
    ...{ baseUrl: NOBODY, correlationKey: 'email', transport: takeWhile(isTaking), commitIntervalMs: 0 },
    journal: new FileJournal({ directory, fsync: 'never', clock: scaledClock(1), segmentBytes }),
    batch: { maxEvents: BATCH_EVENTS, maxWaitMs: 0 },
    delivery: { maxConcurrency: 1 },
  });
  for (let number = 0; number < events; number += 1) {
    const payload = { number, padding: 'ä'.repeat(random(MOST_PADDING)) };
    const uuid = numberedUuid(life, number);
    tracker.track('numbered', payload, { uuid, correlationValue: 'ada@example.com' });
    // More than one write, and so more than one segment if segments are small.
    if (number % WRITE_EVENTS === WRITE_EVENTS - 1) await written();
  }
  await written();
  while (isTaking()) await pause(1);
  await tracker.close({ timeoutMs: 0 });
}

/** Accepts requests as long as `isTaking` says so. After that it never answers, and fails a request when it is aborted. */
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
