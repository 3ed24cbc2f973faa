import type { Catalogue, TrackerCount, TrackerRow, TrackerValues } from '../admin/contract.ts';
import type { Database } from '../storage/database.ts';
import { listCatalogue } from './catalogue.ts';
import type { SearchFilter } from './event-filter.ts';
import { EventSearch, type Page, type PageQuery } from './event-search.ts';
import type { WholeEvent } from './found-events.ts';
import { type Extent, Indexer } from './indexer.ts';
import { SearchIndex } from './search-index.ts';
import { listValues, type ValueField } from './value-list.ts';
import type { Work } from './work.ts';

const AT_ONCE = 500;

/** The questions about events: each returns the work that answers it. */
export interface Questions {
  /** The matching events, as rows of a list. */
  rows(extent: Extent, filter: SearchFilter, query: PageQuery): Work<Page<TrackerRow>>;
  /** The matching events, complete. */
  whole(extent: Extent, filter: SearchFilter, query: PageQuery): Work<Page<WholeEvent>>;
  /** How many match. */
  count(extent: Extent, filter: SearchFilter): Work<TrackerCount>;
  /** The values of a field that begin with a text. */
  values(extent: Extent, field: ValueField, start: string): Work<TrackerValues['values']>;
  /** The names of events, with the keys of their payloads. */
  catalogue(extent: Extent): Work<Catalogue>;
}

/** Everything that searches and indexes events. */
export class SearchEngine {
  readonly questions: Questions;
  readonly #index: SearchIndex;
  readonly #indexer: Indexer;

  /** `index`: the database that has the index. `now`: a clock in milliseconds, for the time limits of searches. */
  constructor(database: Database, index: Database = database, now: () => number = () => performance.now()) {
    this.#index = new SearchIndex(index);
    this.#indexer = new Indexer(database, this.#index, AT_ONCE);
    const search = new EventSearch(database, this.#index, now);
    this.questions = {
      rows: (extent, filter, query) => search.rows(filter, query, extent),
      whole: (extent, filter, query) => search.whole(filter, query, extent),
      count: (extent, filter) => search.count(filter, extent),
      values: (extent, field, start) => listValues(database, search, field, start, extent),
      catalogue: (extent) => listCatalogue(database, extent, now),
    };
  }

  /** The id up to which events are in the full-text index. */
  get indexed(): number {
    return this.#index.through;
  }

  /** See {@link Indexer}. */
  step(extent: Extent): boolean {
    return this.#indexer.step(extent);
  }
}
