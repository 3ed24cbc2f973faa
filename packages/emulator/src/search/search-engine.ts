import type { Database } from '../storage/database.ts';
import { EventSearch } from './event-search.ts';
import { type Extent, Indexer } from './indexer.ts';
import type { Questions } from './search.ts';
import { SearchIndex } from './search-index.ts';
import { UuidMerger } from './uuid-merger.ts';
import { listValues } from './value-list.ts';
import type { Work } from './work.ts';

type Answers = {
  readonly [K in keyof Questions]: (
    given: Questions[K]['given'],
    extent: Extent,
  ) => Work<Questions[K]['answer']>;
};

/** Everything that searches and indexes events. It runs on any thread. */
export class SearchEngine {
  readonly #index: SearchIndex;
  readonly #uuids: UuidMerger | undefined;
  readonly #indexer: Indexer;
  readonly #answers: Answers;

  /**
   * `mergesUuids`: whether uuids go into the index; if not, they stay in memory. `atOnce`: events to index in one piece of work;
   * 100 take about a millisecond. `now`: a clock in milliseconds, for the time limits of searches.
   */
  constructor(database: Database, index: Database, mergesUuids: boolean, atOnce: number, now?: () => number) {
    this.#index = new SearchIndex(index);
    this.#uuids = mergesUuids ? new UuidMerger(database, index) : undefined;
    this.#indexer = new Indexer(database, this.#index, this.#uuids, atOnce);
    const search = new EventSearch(database, this.#index, now);
    this.#answers = {
      rows: ([filter, query], extent) => search.rows(filter, query, extent),
      whole: ([filter, query], extent) => search.whole(filter, query, extent),
      count: ([filter], extent) => search.count(filter, extent),
      values: ([field, start], extent) => listValues(database, search, field, start, extent),
    };
  }

  /** The id up to which events are in the full-text index. */
  get indexed(): number {
    return this.#index.through;
  }

  /** The id up to which uuids are in the index; 0 if they stay in memory. */
  get merged(): number {
    return this.#uuids?.through ?? 0;
  }

  /** See {@link Indexer}. */
  step(extent: Extent, isIdle: boolean): boolean {
    return this.#indexer.step(extent, isIdle);
  }

  /** Returns the work that answers a question. */
  ask<K extends keyof Questions>(
    kind: K,
    given: Questions[K]['given'],
    extent: Extent,
  ): Work<Questions[K]['answer']> {
    const answer: Answers[K] = this.#answers[kind];
    return answer(given, extent);
  }
}
