import { type Clock, sleep } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { type IndexedDbStore, LOCK } from './indexeddb-store.ts';

/** How long a page that dies keeps the lock, at most. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** How often a page that waits looks whether the lock is free. */
const LOOK_MS = 1_000;

/** What of `LockManager` is used. A lock is held while its callback's promise is pending. */
export interface StoredLock {
  request<Result>(
    name: string,
    options: LockOptions,
    work: (lock: object | null) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * A lock in the database, in place of a Web Lock: one page at a time has it. It is a lease, which its page renews while it works. A
 * request also rejects if the lock is lost while its work runs, because this page was asleep.
 */
export function storedLock(store: IndexedDbStore, clock: Clock): StoredLock {
  /** Takes the lock, renews it, or gives it back: then it is for no time. Resolves to false if another page has it. */
  function take(id: number, forMs = LEASE_MS): Promise<boolean> {
    return store.use('readwrite', async (objects) => {
      const now = clock.now();
      const held = Object(await promisifyRequest(objects.get(LOCK)));
      // A lease that ends too late was made before the clock was set back: it has ended.
      if (held.id !== id && held.until > now && held.until <= now + LEASE_MS) return false;
      objects.put({ id, until: now + forMs }, LOCK);
      return true;
    });
  }

  return {
    async request(_name, { ifAvailable, signal = new AbortController().signal }, work) {
      const id = Math.random();
      while (!(await take(id))) {
        if (ifAvailable) return work(null);
        await sleep(clock, LOOK_MS, signal);
        if (signal.aborted) throw signal.reason;
      }
      const over = new AbortController();
      const lost = async () => {
        do await sleep(clock, RENEW_MS, over.signal);
        while (!over.signal.aborted && (await take(id).catch(() => true)));
        throw new Error('another page works');
      };
      const giveBack = () => take(id, 0).catch(() => undefined);
      globalThis.addEventListener?.('pagehide', giveBack, { signal: over.signal });
      try {
        return await Promise.race([work({}), lost()]);
      } finally {
        over.abort();
        await giveBack();
      }
    },
  };
}
