// Measures the cost of track(), and the memory, while a backlog waits because the service is away.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTracker, type Tracker } from '@sluice/core';
import type { WaitingSettings, WaitingTold } from './backlog-messages.ts';
import { NOBODY } from './nobody.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { openTracker, trackEvent } from './tracker.ts';
import { inTurns } from './turns.ts';

const WARM_UP_TURN = 500;
/** Small, so that the measurement does not include the memory of the warm-up. */
const WARM_UP_BYTES = 1024 * 1024;

const { directory, warmUp, waiting, others, timed } = await receiveSettings<WaitingSettings>();
const memoryAtStart = process.memoryUsage.rss();
await warmUpWith(warmUp, join(directory, 'warm-up'));
const tracker = openTracker(NOBODY, join(directory, 'backlog'));
await leave(tracker, waiting);
const heldBytes = process.memoryUsage.rss() - memoryAtStart;
// Only now: the memory that it takes is not that of the backlog.
await leaveElsewhere(join(directory, 'others'), others);
const ns = await leave(tracker, timed);
const { pending } = tracker.stats();
await tracker.close({ timeoutMs: 0 });
tell<WaitingTold>({ type: 'measured', nsPerEvent: ns / timed, heldBytes, pending });
takeLeave();

async function warmUpWith(events: number, journalDirectory: string): Promise<void> {
  const tracker = createTracker({
    logger: false,
    ...{ baseUrl: NOBODY, apiKey: 'bench-key', correlationKey: 'email' },
    ...{ journalDirectory, buffer: { maxBytes: WARM_UP_BYTES } },
  });
  for (let tracked = 0; tracked < events; tracked += WARM_UP_TURN) {
    await inTurns(WARM_UP_TURN, (turn) => {
      for (const event of turn) trackEvent(tracker, event);
    });
    await tracker.durable();
  }
  await tracker.close({ timeoutMs: 0 });
}

async function leaveElsewhere(journalDirectory: string, events: number): Promise<void> {
  const tracker = openTracker(NOBODY, journalDirectory);
  await leave(tracker, events);
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
