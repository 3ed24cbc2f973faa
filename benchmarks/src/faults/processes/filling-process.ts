// An application on a disk that is too small. The service is away until the disk is full, and then comes back.
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker } from '@sluice/core/testing';
import { receiveSettings, takeLeave, tell } from '../../processes/parent.ts';
import { createRandom } from '../random.ts';
import { Bookkeeping } from './bookkeeping.ts';
import type { FillingSettings, FillingTold } from './filling.ts';
import { GatedTransport } from './gated-transport.ts';
import { NumberedEvents } from './numbered-events.ts';
import { scaledClock } from './scaled-clock.ts';

/** Speed of the tracker's clock. On that clock, a failed disk is tried again within a minute. */
const TIME_SCALE = 20;
const BURST = 100;
const TICK_MS = 3;
/** Fewer events than fit on a drained disk, whatever is dropped when it is full. */
const LEAST_WRITTEN = 500;
/** In real time. Only a hang takes so long. */
const PATIENCE_MS = 60_000;
/** On the tracker's clock. */
const CLOSE_MS = 20_000;

const settings = await receiveSettings<FillingSettings>();
const { baseUrl, journalDirectory, life, cycles, maxBytes, whenFull, leavesFull } = settings;
const clock = scaledClock(TIME_SCALE);
const service = new GatedTransport();
const tracker = createTracker({
  logger: false,
  ...{ baseUrl, apiKey: 'faults-key', correlationKey: 'email', journalDirectory, clock, transport: service },
  storage: { minFreeBytes: 0, maxBytes, whenFull },
  batch: { maxEvents: 200, maxWaitMs: 100 },
  delivery: { retryBaseMs: 10, retryMaxMs: 200 },
});
const books = new Bookkeeping(tracker);
const { problems } = books;
const events = new NumberedEvents(tracker, life, createRandom(settings.seed));
let inMemory = 0;
await drain('at the start');
for (let cycle = 0; cycle < cycles; cycle += 1) {
  await fill(`in cycle ${cycle}`);
  if (leavesFull && cycle === cycles - 1) break;
  await drain(`in cycle ${cycle}`);
  await returnToDisk(`after cycle ${cycle}`);
}
// A busy machine may take longer than a close, which has a twentieth of its usual time here: it would still write, and drop, after it.
if (leavesFull) await tracker.durable().catch(() => undefined);
else await drain('at the end');
await tracker.close({ timeoutMs: leavesFull ? 0 : CLOSE_MS });
books.check('after the close');
const { dropped } = books;
tell<FillingTold>({ type: 'filled', tracked: events.tracked, dropped, inMemory, problems });
takeLeave();

async function fill(when: string): Promise<void> {
  service.isOpen = false;
  let wasInMemory = false;
  for (let left = settings.events; left > 0; left -= BURST) {
    events.track(BURST);
    await pause(TICK_MS);
    wasInMemory ||= tracker.stats().journal === 'memory';
  }
  if (wasInMemory) inMemory += 1;
  books.check(`${when}, full`);
  // `drop-oldest` frees whole segments, and may have done so just now.
  if (whenFull === 'drop-oldest') return;
  const written = () => tracker.stats().pending - tracker.stats().unwritten;
  // On a slow machine, appends are still in progress.
  await within(PATIENCE_MS, () => written() >= LEAST_WRITTEN);
  if (written() < LEAST_WRITTEN)
    problems.push(`${when}: only ${written()} events are on the disk, and nothing else is`);
}

async function drain(when: string): Promise<void> {
  service.isOpen = true;
  const { pending } = await tracker.flush({ timeoutMs: PATIENCE_MS * TIME_SCALE });
  if (pending > 0) problems.push(`${when}: ${pending} events were not drained`);
  books.check(`${when}, drained`);
}

/** The disk has room again: new events must be written to it. */
async function returnToDisk(when: string): Promise<void> {
  service.isOpen = false;
  const isBack = () => {
    const { journal, pending, unwritten } = tracker.stats();
    return journal === 'file' && unwritten < pending;
  };
  events.track(1);
  await within(PATIENCE_MS, () => isBack() || void events.track(1));
  if (!isBack()) problems.push(`${when}: the journal did not return to the disk`);
  service.isOpen = true;
}

/** Resolves once `isDone` returns true, or after `ms`. */
async function within(ms: number, isDone: () => boolean | undefined): Promise<void> {
  const before = performance.now();
  do await pause(TICK_MS);
  while (!isDone() && performance.now() - before < ms);
}
