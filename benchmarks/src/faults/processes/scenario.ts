import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tracker } from '@sluice/core';
import { FileJournal, type FileSystem, nodeFileSystem } from '@sluice/core/file-journal';
import { createTracker } from '@sluice/core/testing';
import { FailingDisk } from '../failing/failing-disk.ts';
import { failingFileSystem } from '../failing/failing-file-system.ts';
import type { FailurePlan } from '../failing/failures.ts';
import { createRandom } from '../random.ts';
import { Bookkeeping } from './bookkeeping.ts';
import { GatedTransport } from './gated-transport.ts';
import type { Fsync } from './messages.ts';
import { NumberedEvents } from './numbered-events.ts';
import { openFilesBelow } from './open-files.ts';
import { scaledClock } from './scaled-clock.ts';

const TIME_SCALE = 20;
const BURST = 20;
/** Smaller than a burst. */
const SEGMENT_BYTES = 4_000;
/** On the tracker's clock. */
const FLUSH_MS = 10_000;
const CLOSE_MS = 500;
/** On a disk that works, all events must be delivered. So there is enough time even on a busy machine. */
const DRAIN_MS = 600_000;
/** A request that is given up may arrive twice. So none is, but by a hang. */
const REQUEST_MS = 1_200_000;
/** In real time. What is still in use when `close()` gives up must not be after this time. */
const CLOSED_WITHIN_MS = 60_000;

/** A small application that runs on a failing disk, and then once more on a sound one. */
export interface Scenario extends FailurePlan {
  readonly life: number;
  readonly directory: string;
  readonly fsync: Fsync;
}

/** The report of a scenario. It does not tell which events arrived. */
export interface Ran {
  readonly tracked: number;
  /** How many of the first events were reported as durable. */
  readonly durable: number;
  readonly dropped: number;
  /** Whether there was an n-th operation that could fail in this way. */
  readonly wasHit: boolean;
  /** Whether the record of a release failed. Events may arrive again then. */
  readonly lostRelease: boolean;
  readonly problems: readonly string[];
}

export async function runScenario(scenario: Scenario, baseUrl: string): Promise<Ran> {
  const first = await failingLife(scenario, baseUrl);
  const open = (await leftInUse(scenario.directory)).map((path) => `still in use: ${path}`);
  const second = await soundLife(scenario, baseUrl);
  return {
    ...first,
    dropped: first.dropped + second.dropped,
    problems: [...first.problems, ...open, ...second.problems],
  };
}

async function failingLife(scenario: Scenario, baseUrl: string): Promise<Ran> {
  const { life, lasts } = scenario;
  const disk = new FailingDisk(scenario);
  const { tracker, service, books } = open(scenario, baseUrl, failingFileSystem(disk));
  const events = new NumberedEvents(tracker, life, createRandom(life));
  let durable = 0;
  const track = async (when: string) => {
    events.track(BURST);
    const { tracked } = events;
    await tracker.durable().then(
      () => {
        durable = tracked;
      },
      () => undefined,
    );
    books.check(when);
  };
  await track('while the service is away');
  await track('while the service is still away');
  service.isOpen = true;
  await track('when the service is back');
  await tracker.flush({ timeoutMs: FLUSH_MS });
  books.check('after a flush');
  // If the disk is never repaired, the next process delivers the last events, or they are reported as dropped.
  if (lasts === 'to the end') await service.goAway();
  else disk.repair();
  await track('at the end');
  if (lasts !== 'to the end') await tracker.flush({ timeoutMs: DRAIN_MS });
  await tracker.close({ timeoutMs: CLOSE_MS });
  books.check('after the close');
  const { wasHit, lostRelease } = disk;
  const { tracked } = events;
  const { dropped, problems, reasons } = books;
  if (lasts !== 'to the end' && dropped > 0) {
    problems.push(`dropped although the disk worked in the end: ${JSON.stringify(reasons)}`);
  }
  return { tracked, durable, dropped, wasHit, lostRelease, problems };
}

/** The open files, and the locks, without which the next process adopts nothing. */
async function leftInUse(directory: string): Promise<string[]> {
  const until = performance.now() + CLOSED_WITHIN_MS;
  for (;;) {
    const inUse = [...openFilesBelow(directory), ...locksIn(directory)];
    if (inUse.length === 0 || performance.now() > until) return inUse;
    await pause(10);
  }
}

function locksIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.lock')) : [];
}

/** The next process, which must deliver the remaining events. */
async function soundLife(
  scenario: Scenario,
  baseUrl: string,
): Promise<{ dropped: number; problems: string[] }> {
  const { tracker, service, books } = open(scenario, baseUrl, nodeFileSystem);
  service.isOpen = true;
  const { pending } = await tracker.flush({ timeoutMs: DRAIN_MS });
  books.check('in the next life');
  await tracker.close({ timeoutMs: CLOSE_MS });
  books.check('after the next life');
  const { dropped, problems, reasons } = books;
  if (pending > 0) problems.push(`the next life did not deliver ${pending} events`);
  if (dropped > 0) problems.push(`the next life dropped: ${JSON.stringify(reasons)}`);
  return { dropped, problems };
}

function open(
  { directory, fsync }: Scenario,
  baseUrl: string,
  fs: FileSystem,
): { tracker: Tracker; service: GatedTransport; books: Bookkeeping } {
  const clock = scaledClock(TIME_SCALE);
  const service = new GatedTransport();
  const tracker = createTracker({
    logger: false,
    ...{ baseUrl, apiKey: 'faults-key', correlationKey: 'email', clock, transport: service },
    journal: new FileJournal({ directory, fsync, clock, segmentBytes: SEGMENT_BYTES, fs }),
    batch: { maxEvents: 10, maxWaitMs: 20 },
    delivery: { maxConcurrency: 2, timeoutMs: REQUEST_MS, retryBaseMs: 10, retryMaxMs: 100 },
  });
  return { tracker, service, books: new Bookkeeping(tracker) };
}
