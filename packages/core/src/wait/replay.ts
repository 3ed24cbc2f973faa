import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import { rangeLength } from '../base/range.ts';
import type { Journal } from '../keep/journal.ts';
import type { Backlog } from './backlog.ts';
import type { Committer } from './committer.ts';

export interface ReplayOptions {
  readonly backlog: Pick<Backlog, 'addRecovered'>;
  readonly committer: Pick<Committer, 'secure'>;
  readonly journal: Pick<Journal, 'acknowledge' | 'sync'>;
  /** They wait to be sent. */
  readonly onReplayed: (count: number) => void;
}

/**
 * Puts events that were kept elsewhere, dead letters or what was held, on the road of those that an earlier life left. Resolves
 * once the journal holds them as safely as it holds any. Rejects with a StorageError where it does not: then none of them is on
 * its way.
 */
export async function replay(
  events: EventBytes,
  { backlog, committer, journal, onReplayed }: ReplayOptions,
): Promise<void> {
  const range = await committer.secure(events, true);
  if (range === undefined) {
    throw new StorageError('events stay where they are: the journal fails or is full');
  }
  try {
    await journal.sync();
  } catch (cause) {
    await journal.acknowledge(range).catch(() => undefined);
    throw storageError('events stay where they are', cause);
  }
  backlog.addRecovered(range, events.times?.[0]);
  onReplayed(rangeLength(range));
}
