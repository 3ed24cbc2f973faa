import { type Clock, sleep } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { Alarm } from '../../base/alarm.ts';
import { uuid } from '../../base/uuid.ts';
import { type IndexedDbStore, LOCK } from './indexeddb-store.ts';

/** A page that dies keeps the lock for at most so long. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** How often a page that waits looks whether the lock is free. */
const LOOK_MS = 1_000;

/**
 * A lock in the database, in place of a Web Lock: one page at a time has it. It is a lease, which its page renews while it works.
 */
export class StoredLock {
  readonly #store: IndexedDbStore;
  readonly #clock: Clock;

  constructor(store: IndexedDbStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** As `LockManager.request`. Also rejects if the lock is lost while `work` runs, because this page was asleep. */
  async request<Result>(
    _name: string,
    { ifAvailable, signal }: LockOptions,
    work: (lock: object | null) => Promise<Result>,
  ): Promise<Result> {
    const id = uuid();
    const over = new AbortController();
    while (!(await this.#take(id))) {
      if (ifAvailable) return work(null);
      await sleep(this.#clock, LOOK_MS, signal ?? over.signal);
      if (signal?.aborted) throw new Error('nobody waits for the lock any more');
    }
    let lose: (error: Error) => void = () => {};
    const lost = new Promise<never>((_, reject) => {
      lose = reject;
    });
    const renewal = new Alarm(this.#clock, () => {
      const renewed = (isOurs: boolean) =>
        isOurs ? renewal.set(RENEW_MS) : lose(new Error('another page works'));
      this.#take(id).then(renewed, () => renewed(true));
    });
    renewal.set(RENEW_MS);
    const end = () => this.#store.use('readwrite', (objects) => void objects.delete(LOCK));
    globalThis.addEventListener?.('pagehide', end, { signal: over.signal });
    try {
      return await Promise.race([work({}), lost]);
    } finally {
      renewal.stop();
      over.abort();
      if (await this.#take(id).catch(() => false)) await end().catch(() => undefined);
    }
  }

  /** Takes or renews the lock. Resolves to false if another page has it. */
  #take(id: string): Promise<boolean> {
    return this.#store.use('readwrite', async (objects) => {
      const now = this.#clock.now();
      const held = Object(await promisifyRequest(objects.get(LOCK)));
      // A lease that ends too late was made before the clock was set back: it has ended.
      if (held.id !== id && held.until > now && held.until <= now + LEASE_MS) return false;
      objects.put({ id, until: now + LEASE_MS }, LOCK);
      return true;
    });
  }
}
