// Imported where it is needed only: to load what makes requests takes longer than most commands.
import { createTracker, type Tracker } from '@sluice/core';
import type { ServiceSettings } from '../settings/settings.ts';
import { PacedTransport } from './paced-transport.ts';

/** A tracker with these settings. Its logger is silent: the commands say themselves what happens. */
export function openTracker(settings: ServiceSettings, perSecond?: number): Tracker {
  const { journal, ...rest } = settings;
  const options = { ...rest, logger: false } as const;
  if (perSecond === undefined) return createTracker(options);
  const { connect, dispatcher, ...delivery } = options.delivery ?? {};
  const ended = (): number => {
    const { delivered, deadLettered } = tracker.stats();
    return delivered + deadLettered;
  };
  const maxEvents = Math.min(
    options.batch?.maxEvents ?? Number.POSITIVE_INFINITY,
    Math.max(1, Math.floor(perSecond)),
  );
  const tracker: Tracker = createTracker({
    ...options,
    transport: new PacedTransport({ connect, dispatcher }, { perSecond, mostEvents: maxEvents, ended }),
    batch: { ...options.batch, maxEvents },
    delivery: { ...delivery, maxConcurrency: 1 },
  });
  return tracker;
}

/** A tracker that sends nothing: to change what is in a journal. */
export function openOffline(journalDirectory: string): Tracker {
  const cause = new Error('this command sends nothing');
  return createTracker({
    baseUrl: 'http://127.0.0.1',
    correlationKey: 'none',
    journalDirectory,
    logger: false,
    transport: { post: async () => ({ kind: 'failed', cause, maybeSent: false }), close: async () => {} },
  });
}
