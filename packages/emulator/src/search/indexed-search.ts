import type { Logger } from '../logger.ts';
import type { Database } from '../storage/database.ts';
import type { UuidIndex } from '../storage/uuid-index.ts';
import { openIndex, progressOf, removeIndex } from './index-database.ts';
import type { Extent } from './indexer.ts';
import { INLINE_AT_ONCE, InlineSearch } from './inline-search.ts';
import type { Questions, Search } from './search.ts';
import { SearchEngine } from './search-engine.ts';
import { HAS_THREADS, ThreadSearch } from './thread-search.ts';
import { UuidMerger } from './uuid-merger.ts';

// This many uuids fit into memory easily. There are more to merge only if an index is built anew.
const MOST_UNMERGED = 1_000_000;
const MOST_REBUILDS = 3;

/** What an {@link IndexedSearch} needs. */
export interface IndexedParts {
  readonly directory: string;
  readonly database: Database;
  readonly uuids: UuidIndex;
  readonly extent: () => Extent;
  readonly logger: Logger;
}

/** Searches the events of a data directory, and keeps the index there. It builds the index anew if it is missing or damaged. */
export class IndexedSearch implements Search {
  readonly #parts: IndexedParts;
  #index: Database;
  #search: Search;
  #rebuilds = 0;
  #isClosed = false;

  constructor(parts: IndexedParts) {
    this.#parts = parts;
    this.#index = this.#openIndex();
    this.#search = this.#makeSearch();
  }

  get indexed(): number {
    return this.#search.indexed;
  }

  changed(): void {
    this.#search.changed();
  }

  ask<K extends keyof Questions>(kind: K, given: Questions[K]['given']): Promise<Questions[K]['answer']> {
    return this.#search.ask(kind, given);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#search.close();
    this.#index.close();
  }

  /**
   * Builds the index anew, unless that was done too often. Returns whether it did. Until the index has caught up, events are
   * searched one by one.
   */
  #rebuild(reason: unknown): boolean {
    if (this.#isClosed || this.#rebuilds >= MOST_REBUILDS) return false;
    this.#rebuilds += 1;
    const { directory, logger } = this.#parts;
    logger.warn({ directory, err: reason }, 'search index damaged: it is made anew, no event is lost');
    void this.#search.close();
    this.#index.close();
    removeIndex(directory);
    this.#index = this.#openIndex();
    this.#search = this.#makeSearch();
    return true;
  }

  #openIndex(): Database {
    const { directory, database, uuids } = this.#parts;
    const index = openIndex(directory, database);
    const merger = new UuidMerger(database, index);
    const { newest } = database.prepare('SELECT newest_event AS newest FROM totals').get() as Extent;
    while (newest - merger.through > MOST_UNMERGED) for (const _ of merger.merge(newest));
    uuids.open(index, merger.through, (reason) => this.#rebuild(reason));
    return index;
  }

  #makeSearch(): Search {
    const { directory, database, uuids, extent, logger } = this.#parts;
    if (!HAS_THREADS)
      return new InlineSearch(() => new SearchEngine(database, this.#index, true, INLINE_AT_ONCE), extent);
    return new ThreadSearch(directory, progressOf(this.#index).indexed, extent, {
      merged: (through) => uuids.release(through),
      trouble: (reason) => logger.warn({ directory, reason }, 'events could not be indexed for now'),
      damaged: (reason) => void this.#rebuild(reason),
    });
  }
}
