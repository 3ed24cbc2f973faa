import type { Clock } from '@sluice/protocol/toolbox';

/** How long customers are kept in memory, and how many. */
export interface CacheOptions {
  /** How long a cached customer is returned without a request, in milliseconds. */
  readonly ttlMs: number;
  /** Maximum number of customers. The least recently used one is removed first. Default 1000. */
  readonly maxEntries?: number | undefined;
}

/** Cache options, with defaults filled in. */
export interface CacheLimits {
  readonly ttlMs: number;
  readonly maxEntries: number;
}

/** Texts that are kept for a limited time. */
export interface Cache {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
}

/** Keeps a limited number of texts. Removes the least recently used one first. */
export function createCache({ ttlMs, maxEntries }: CacheLimits, clock: Clock): Cache {
  /** When each text was stored. In order of last use, the least recently used first. */
  const entries = new Map<string, readonly [text: string, storedAt: number]>();
  return {
    get(key) {
      const entry = entries.get(key);
      entries.delete(key);
      if (!entry) return undefined;
      const ageMs = clock.now() - entry[1];
      // A negative age means that the clock was set back. The age of the entry is then unknown.
      if (ageMs < 0 || ageMs >= ttlMs) return undefined;
      entries.set(key, entry);
      return entry[0];
    },
    set(key, text) {
      entries.delete(key);
      entries.set(key, [text, clock.now()]);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) return;
        entries.delete(oldest);
      }
    },
  };
}
