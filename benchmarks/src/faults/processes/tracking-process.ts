// An application that tracks numbered events as fast as the run asks, and says which of them are in the journal.
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker } from '@sluice/core';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { onAsked, receiveSettings, takeLeave, tell } from '../../processes/parent.ts';
import { createRandom } from '../random.ts';
import type { TrackingSettings, TrackingTold } from './messages.ts';

const MOST_PER_BURST = 100;
const MOST_PADDING = 700;
const TICK_MS = 4;
const PADDING = 'x'.repeat(MOST_PADDING);

const settings = await receiveSettings<TrackingSettings>();
const { life, baseUrl, apiKey, journalDirectory, batchEvents, timeoutMs, flushTimeoutMs } = settings;
const total = settings.total ?? Number.POSITIVE_INFINITY;
const random = createRandom(settings.seed);
let isToldToFinish = false;
onAsked(() => {
  isToldToFinish = true;
});
tell<TrackingTold>({ type: 'started' });

const tracker = createTracker({
  baseUrl,
  apiKey,
  correlationKey: 'email',
  journalDirectory,
  batch: { maxEvents: batchEvents, maxWaitMs: 20 },
  // A fault that passes is over at once, so that a run fits into minutes.
  delivery: { timeoutMs, retryBaseMs: 10, retryMaxMs: 200 },
});
const problem = (what: string) => tell<TrackingTold>({ type: 'problem', what: `life ${life}: ${what}` });
tracker.on('storageFailed', ({ error }) => problem(error.message));
tracker.on('dropped', ({ reason, count }) => problem(`dropped ${count} events: ${reason}`));
tracker.on('deadLettered', ({ status }) => problem(`an event became a dead letter: ${status}`));
tracker.on('invalid', ({ error }) => problem(error.message));

let tracked = 0;
let durable = 0;
while (tracked < total && !isToldToFinish) {
  const burst = Math.min(total - tracked, 1 + random(MOST_PER_BURST));
  for (let number = 0; number < burst; number += 1) {
    tracker.track(
      'numbered',
      { number: tracked, padding: PADDING.slice(0, random(MOST_PADDING)) },
      { uuid: numberedUuid(life, tracked), correlationValue: 'ada@example.com' },
    );
    tracked += 1;
  }
  await pause(TICK_MS);
  tellDurable();
}
await tracker.flush({ timeoutMs: flushTimeoutMs });
tellDurable();
const { pending } = await tracker.close({ timeoutMs: flushTimeoutMs });
tell<TrackingTold>({ type: 'finished', tracked, pending });
takeLeave();

/** Events are written in the order in which they were tracked: what is not written yet are the newest. */
function tellDurable(): void {
  const { unwritten, journal } = tracker.stats();
  const written = tracked - unwritten;
  if (journal !== 'file' || written === durable) return;
  durable = written;
  tell<TrackingTold>({ type: 'durable', count: written });
}
