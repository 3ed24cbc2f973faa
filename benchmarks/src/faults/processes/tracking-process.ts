// An application that tracks numbered events at the speed in its settings, and reports which of them are durable.
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker } from '@sluice/core/testing';
import { onAsked, receiveSettings, takeLeave, tell } from '../../processes/parent.ts';
import { createRandom } from '../random.ts';
import { MOST_REQUESTS, type TrackingSettings, type TrackingTold } from './messages.ts';
import { NumberedEvents } from './numbered-events.ts';

const settings = await receiveSettings<TrackingSettings>();
const { life, baseUrl, apiKey, journalDirectory, fsync, timeoutMs, flushTimeoutMs, maxBytes } = settings;
const total = settings.total ?? Number.POSITIVE_INFINITY;
const random = createRandom(settings.seed);
let isToldToFinish = false;
onAsked(() => {
  isToldToFinish = true;
});
tell<TrackingTold>({ type: 'started' });

const tracker = createTracker({
  logger: false,
  ...{ baseUrl, apiKey, correlationKey: 'email', journalDirectory, fsync },
  batch: { maxEvents: settings.batchEvents, maxWaitMs: settings.maxWaitMs },
  // Short waits, so that the end of a fault is noticed at once and a run takes only minutes.
  delivery: { maxConcurrency: MOST_REQUESTS, timeoutMs, retryBaseMs: 10, retryMaxMs: 200 },
  ...(maxBytes !== null && { storage: { maxBytes, minFreeBytes: 0 } }),
});
const problem = (what: string) => tell<TrackingTold>({ type: 'problem', what: `life ${life}: ${what}` });
tracker.on('storageFailed', ({ error }) =>
  tell<TrackingTold>({ type: 'storageFailed', what: `life ${life}: ${error.message}` }),
);
tracker.on('dropped', ({ reason, count }) => problem(`dropped ${count} events: ${reason}`));
tracker.on('deadLettered', ({ status }) => problem(`an event became a dead letter: ${status}`));
tracker.on('invalid', ({ error }) => problem(error.message));

const events = new NumberedEvents(tracker, life, random);
let durable = 0;
let isSyncing = false;
const tellDurable = settings.durableWhen === 'written' ? tellWritten : tellSynced;
while (events.tracked < total && !isToldToFinish) {
  events.track(Math.min(total - events.tracked, 1 + random(settings.mostPerBurst)));
  void tellDurable();
  await pause(settings.tickMs);
}
await tracker.flush({ timeoutMs: flushTimeoutMs });
await tellDurable();
const { pending } = await tracker.close({ timeoutMs: flushTimeoutMs });
tell<TrackingTold>({ type: 'finished', tracked: events.tracked, pending });
takeLeave();

/** Events are written in the order in which they were tracked. So the unwritten ones are the newest. */
function tellWritten(): void {
  const { unwritten, journal } = tracker.stats();
  const written = events.tracked - unwritten;
  if (journal !== 'file' || written === durable) return;
  durable = written;
  tell<TrackingTold>({ type: 'durable', count: written });
}

async function tellSynced(): Promise<void> {
  if (isSyncing) return;
  isSyncing = true;
  const { tracked } = events;
  try {
    await tracker.durable();
    tell<TrackingTold>({ type: 'durable', count: tracked });
  } catch {
    // No report for these events: the journal has failed, and reports that itself.
  }
  isSyncing = false;
}
