import { createTracker, type Tracker } from '@sluice/core';
import { pino } from 'pino';
import { PRIMARY_KEY } from '../strike-event.ts';
import type { TrackerSettings } from './messages.ts';

/** Creates a tracker in the same way as an application. */
export function openTracker({ baseUrl, apiKey, journalDirectory, logFile }: TrackerSettings): Tracker {
  return createTracker({
    baseUrl,
    apiKey,
    correlationKey: PRIMARY_KEY,
    journalDirectory,
    // `sync` writes each line at once, so that the log is complete even after a SIGKILL.
    logger: pino({ base: { pid: process.pid } }, pino.destination({ dest: logFile, sync: true })),
  });
}
