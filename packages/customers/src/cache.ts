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

interface Entry {
  readonly text: string;
  readonly storedAt: number;
}

/** Keeps a limited number of texts for a limited time. Removes the least recently used one first. */
export class Cache {
  // In order of last use, the least recently used first.
  readonly #entries = new Map<string, Entry>();
  readonly #limits: CacheLimits;
  readonly #clock: Clock;

  constructor(limits: CacheLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (!entry) return undefined;
    const ageMs = this.#clock.now() - entry.storedAt;
    // A negative age means that the clock was set back. The age of the entry is then unknown.
    if (ageMs < 0 || ageMs >= this.#limits.ttlMs) return undefined;
    this.#entries.set(key, entry);
    return entry.text;
  }

  set(key: string, text: string): void {
    this.#entries.delete(key);
    this.#entries.set(key, { text, storedAt: this.#clock.now() });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.maxEntries) return;
      this.#entries.delete(oldest);
    }
  }
}
