type Request = LockManager['request'];

interface Waiter {
  readonly holder: object;
  readonly grant: () => void;
}

/**
 * The part of Web Locks that a journal uses: exclusive locks, and which are held. A request waits in line until its signal aborts, or asks only if
 * the lock is available.
 */
export class FakeLocks implements Pick<LockManager, 'request' | 'query'> {
  /** The line for each lock. The first in it holds the lock. */
  readonly #lines: Map<string, Waiter[]>;
  #isGone = false;

  /** @param origin The locks of another tab of the same origin. */
  constructor(origin?: FakeLocks) {
    this.#lines = origin === undefined ? new Map() : origin.#lines;
  }

  readonly request: Request = (name: string, ...rest: unknown[]) => {
    // The code of a page that is gone asks for nothing.
    if (this.#isGone) return new Promise<never>(() => {});
    const callback = rest.at(-1) as (lock: Lock | null) => Promise<never>;
    const { ifAvailable, signal } = (rest.length > 1 ? rest[0] : {}) as LockOptions;
    const line = this.#lines.get(name) ?? [];
    this.#lines.set(name, line);
    if (ifAvailable === true && line.length > 0) return Promise.resolve(callback(null));
    return new Promise((resolve, reject) => {
      const grant = async () => {
        signal?.removeEventListener('abort', leave);
        try {
          resolve(await callback({ name, mode: 'exclusive' }));
        } catch (error) {
          reject(error);
        } finally {
          this.#remove(line, waiter);
        }
      };
      const waiter = { holder: this, grant: () => void grant() };
      const leave = () => {
        this.#remove(line, waiter);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', leave);
      line.push(waiter);
      if (line.length === 1) queueMicrotask(waiter.grant);
    });
  };

  async query(): Promise<LockManagerSnapshot> {
    const held = [...this.#lines].flatMap(([name, line]) => (line.length > 0 ? { name } : []));
    return { held, pending: [] };
  }

  /** The tab is gone: gives up the locks that it holds or waits for. */
  letGo(): void {
    this.#isGone = true;
    for (const line of this.#lines.values())
      for (const waiter of line.filter(({ holder }) => holder === this)) this.#remove(line, waiter);
  }

  #remove(line: Waiter[], waiter: Waiter): void {
    const position = line.indexOf(waiter);
    if (position < 0) return;
    line.splice(position, 1);
    if (position === 0) line[0]?.grant();
  }
}
