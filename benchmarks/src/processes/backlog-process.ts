// Measures the cost of track(), and the memory, while a backlog waits because the service is away.
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Tracker } from '@sluice/core';
import type { WaitingSettings, WaitingTold } from './backlog-messages.ts';
import { NOBODY } from './nobody.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { openTracker, trackEvent } from './tracker.ts';
import { inTurns } from './turns.ts';

/** Enough for the compiler to settle, so that only the backlog makes a difference. */
const WARM_UP_TURNS = 200;
const WARM_UP_EVENTS = 500;
/** Small, so that the measurement does not include the memory of the warm-up. */
const WARM_UP_BYTES = 1024 * 1024;

const { journalDirectory, waiting, timed } = await receiveSettings<WaitingSettings>();
const memoryAtStart = process.memoryUsage.rss();
await warmUp(`${journalDirectory}-warm-up`);
const tracker = openTracker(NOBODY, journalDirectory);
await leave(tracker, waiting);
const heldBytes = process.memoryUsage.rss() - memoryAtStart;
const ns = await leave(tracker, timed);
const { pending } = tracker.stats();
await tracker.close({ timeoutMs: 0 });
tell<WaitingTold>({ type: 'measured', nsPerEvent: ns / timed, heldBytes, pending });
takeLeave();

async function warmUp(directory: string): Promise<void> {
  const tracker = createTracker({
    logger: false,
    ...{ baseUrl: NOBODY, apiKey: 'bench-key', correlationKey: 'email' },
    ...{ journalDirectory: directory, buffer: { maxBytes: WARM_UP_BYTES } },
  });
  for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) {
    await inTurns(WARM_UP_EVENTS, (events) => {
      for (const event of events) trackEvent(tracker, event);
    });
    await tracker.durable();
  }
  await tracker.close({ timeoutMs: 0 });
}

/** Tracks events, and waits until they are in the journal. Resolves to the nanoseconds in the loops that track. */
async function leave(tracker: Tracker, events: number): Promise<number> {
  let ns = 0;
  await inTurns(events, (turn) => {
    const startedAt = process.hrtime.bigint();
    for (const event of turn) trackEvent(tracker, event);
    ns += Number(process.hrtime.bigint() - startedAt);
  });
  while (tracker.stats().unwritten > 0) await pause(1);
  return ns;
}
