import { createTracker, type Tracker } from '@sluice/core';
import { pino } from 'pino';
import { PRIMARY_KEY } from '../strike-event.ts';
import type { TrackerSettings } from './messages.ts';

/** A tracker as an application makes it. */
export function openTracker({ baseUrl, apiKey, journalDirectory, logFile }: TrackerSettings): Tracker {
  return createTracker({
    baseUrl,
    apiKey,
    correlationKey: PRIMARY_KEY,
    journalDirectory,
    // Written at once: what the process has to say must outlive a SIGKILL as well.
    logger: pino({ base: { pid: process.pid } }, pino.destination({ dest: logFile, sync: true })),
  });
}
