import type { Clock } from '@sluice/protocol/toolbox';

/** How long customers are kept in memory, how many, and in how many bytes. */
export interface CacheOptions {
  /** How long a cached customer is returned without a request, in milliseconds. */
  readonly ttlMs: number;
  /** Maximum number of customers. The least recently used one is removed first. Default 1000. */
  readonly maxEntries?: number | undefined;
  /**
   * Maximum memory of all customers, in bytes. The least recently used one is removed first. A larger customer is not kept. The
   * size of a customer is an estimate: two bytes for each character of its primary key and of its JSON text (an engine may need
   * only one), and 128 bytes for the entry. Default 16,777,216 (16 MiB).
   */
  readonly maxBytes?: number | undefined;
}

/** What a caller can do with the cache of a reader. */
export interface CustomerCache {
  /**
   * Forgets a customer: the next read of this primary key asks the service. It does not join a request that is already in
   * progress, whose answer may be older, and that answer is not kept.
   *
   * @example
   * await changeEmail(primaryKey);
   * customers.cache.delete(primaryKey);
   */
  delete(primaryKey: string): void;
  /**
   * Forgets all customers, as `delete` forgets one.
   *
   * @example customers.cache.clear();
   */
  clear(): void;
}

/** Texts that are kept for a limited time. */
export interface Cache {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
  /** What a caller sees of the cache. */
  readonly handle: CustomerCache;
}

/** Makes the cache of a reader, given the reader's requests in progress by primary key. */
export type CachePart = (options: CacheOptions, clock: Clock, requests: Map<string, unknown>) => Cache;

interface Entry {
  readonly text: string;
  readonly storedAt: number;
  readonly bytes: number;
}

const ENTRY_BYTES = 128;

/**
 * For pages. Elsewhere, this is built in.
 * @example createCustomerReader({ ...options, cache: { ttlMs }, parts: { cache } });
 */
export const cache: CachePart = (options, clock, requests) => {
  const { ttlMs, maxEntries = 1_000, maxBytes = 16_777_216 } = options;
  /** In order of last use, the least recently used first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const put = (key: string, entry: Entry) => {
    entries.set(key, entry);
    bytes += entry.bytes;
  };
  const take = (key: string) => {
    const entry = entries.get(key);
    entries.delete(key);
    bytes -= entry?.bytes ?? 0;
    return entry;
  };
  return {
    get(key) {
      const entry = take(key);
      if (!entry) return undefined;
      const ageMs = clock.now() - entry.storedAt;
      // A negative age means that the clock was set back. The age of the entry is then unknown.
      if (!(ageMs >= 0 && ageMs < ttlMs)) return undefined;
      put(key, entry);
      return entry.text;
    },
    set(key, text) {
      take(key);
      const entry = { text, storedAt: clock.now(), bytes: 2 * (key.length + text.length) + ENTRY_BYTES };
      if (entry.bytes > maxBytes) return;
      put(key, entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) return;
        take(oldest);
      }
    },
    handle: {
      delete(key) {
        take(key);
        requests.delete(key);
      },
      clear() {
        entries.clear();
        bytes = 0;
        requests.clear();
      },
    },
  };
};
