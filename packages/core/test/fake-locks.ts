type Request = LockManager['request'];

/** Web Locks as far as the journal uses them: exclusive, and only if available. */
export class FakeLocks implements Pick<LockManager, 'request'> {
  readonly #held = new Set<string>();

  readonly request: Request = async (name: string, ...rest: unknown[]) => {
    const callback = rest.at(-1) as (lock: Lock | null) => unknown;
    if (this.#held.has(name)) return callback(null);
    this.#held.add(name);
    try {
      return await callback({ name, mode: 'exclusive' });
    } finally {
      this.#held.delete(name);
    }
  };
}
