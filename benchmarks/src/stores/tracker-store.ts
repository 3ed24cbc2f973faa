import { NOBODY } from '../processes/nobody.ts';
import { openTracker, trackEvent } from '../processes/tracker.ts';
import type { Store } from './store.ts';
import { countSyncs } from './sync-count.ts';

/** Sluice with `fsync: 'always'`. Its service is away, so that only the journal works. */
export async function openTrackerStore(directory: string): Promise<Store> {
  const tracker = openTracker(NOBODY, directory, 'always');
  await tracker.durable();
  const syncs = countSyncs();
  return {
    get commits() {
      return syncs();
    },
    add: (event) => trackEvent(tracker, event),
    endTurn: () => undefined,
    settle: () => tracker.durable(),
    count: () => tracker.stats().pending - tracker.stats().unwritten,
    close: () => tracker.close({ timeoutMs: 0 }),
  };
}
