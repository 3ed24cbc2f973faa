import type { Clock } from './clock.ts';

/** How long and how many customers are kept in memory. */
export interface CacheOptions {
  /** How long a customer is given again without asking the service, in milliseconds. */
  readonly ttlMs: number;
  /** How many customers at most; the one longest unused goes first. Default 1000. */
  readonly maxEntries?: number | undefined;
}

/** Cache options with their defaults. */
export interface CacheLimits {
  readonly ttlMs: number;
  readonly maxEntries: number;
}

interface Entry {
  readonly text: string;
  readonly storedAt: number;
}

/** Keeps texts for a while, at most so many, and forgets the one longest unused first. */
export class Cache {
  // In the order of their last use, the oldest first.
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
    // A negative age is a clock that was set back: how old the entry is can no longer be told.
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
