// Imported where it is needed only: to load what makes requests takes longer than most commands.
import { createTracker, type Tracker } from '@sluice/core';
import { UsageError } from '../exit-codes.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { type Pace, PacedTransport } from './paced-transport.ts';

/** A command deletes no dead letter that nobody chose: other processes may keep them for longer than the defaults. */
const deadLetters = { maxBytes: Number.MAX_SAFE_INTEGER, maxAgeMs: Number.MAX_SAFE_INTEGER };

/**
 * A tracker with these settings. It is silent: the commands say themselves what happens. It drops no event that waits to make room for
 * another. Throws a UsageError if the settings switch it off, or would have it delete what waits.
 */
export function openTracker(settings: ServiceSettings, pace?: Pick<Pace, 'perSecond' | 'signal'>): Tracker {
  if (settings.enabled === false)
    throw new UsageError(
      'enabled is false in sluice.config.*: nothing would be sent; correct it, or --config',
    );
  if (settings.consent === 'denied')
    throw new UsageError(
      "consent is 'denied' in sluice.config.*: all that waits would be deleted; correct it, or --config",
    );
  const { journal, ...rest } = settings;
  const storage = { ...rest.storage, whenFull: 'drop-newest' } as const;
  const options = { ...rest, storage, logger: false, debug: false, deadLetters } as const;
  if (!pace) return createTracker(options);
  const { connect, dispatcher, ...delivery } = options.delivery ?? {};
  const ended = (): number => {
    const { delivered, deadLettered } = tracker.stats();
    return delivered + deadLettered;
  };
  const maxEvents = Math.min(
    options.batch?.maxEvents ?? Number.POSITIVE_INFINITY,
    Math.max(1, Math.floor(pace.perSecond)),
  );
  const tracker: Tracker = createTracker({
    ...options,
    transport: new PacedTransport({ connect, dispatcher }, { ...pace, mostEvents: maxEvents, ended }),
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
    deadLetters,
    transport: { post: async () => ({ kind: 'failed', cause, maybeSent: false }), close: async () => {} },
  });
}
