import { createTracker, type Tracker } from '@sluice/core';
import type { SampleEvent } from '../workload/sample-event.ts';

/** A tracker with default options, except for the journal if that is measured. */
export function openTracker(
  baseUrl: string,
  journalDirectory: string,
  journal: 'default' | 'always' | 'memory' = 'default',
): Tracker {
  const common = { baseUrl, apiKey: 'bench-key', correlationKey: 'email' };
  if (journal === 'memory') return createTracker({ ...common, journal });
  const fsync = journal === 'always' ? { fsync: journal } : {};
  return createTracker({ ...common, journalDirectory, ...fsync });
}

/** Tracks one event of the workload. */
export function trackEvent(tracker: Tracker, { name, payload, correlationValue }: SampleEvent): void {
  tracker.track(name, payload, { correlationValue });
}
