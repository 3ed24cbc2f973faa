import { setImmediate } from 'node:timers/promises';
import { SluiceError } from '@sluice/protocol';
import type { Catalogue, TrackerCount, TrackerRow, TrackerValues } from '../admin/contract.ts';
import type { Database } from '../storage/database.ts';
import type { WholeEvent } from '../storage/event-rows.ts';
import type { Extent } from '../storage/event-store.ts';
import { listCatalogue } from './catalogue.ts';
import type { SearchFilter } from './event-filter.ts';
import { EventSearch, type Page, type PageQuery, type Work } from './event-search.ts';
import { SearchIndex } from './search-index.ts';
import { listValues, type ValueField } from './value-list.ts';

// Pause between two pieces of indexing, which take a few milliseconds each. In the pause, requests are served.
const PAUSE_MS = 10;
// A search works for this long. Then requests are served before it continues.
const TURN_MS = 10;

/** Clocks in milliseconds: for the time limits of searches, and for the length of turns. */
export interface SearchClocks {
  readonly limits: () => number;
  readonly turns: () => number;
}

const CLOCKS: SearchClocks = { limits: () => performance.now(), turns: () => performance.now() };

/** Searches the events while new ones arrive. It begins to index with the first search: without searches, it costs nothing. */
export class Search {
  readonly #database: Database;
  readonly #extent: () => Extent;
  readonly #clocks: SearchClocks;
  readonly #index: SearchIndex;
  readonly #events: EventSearch;
  #isUsed = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database, extent: () => Extent, clocks: SearchClocks = CLOCKS) {
    this.#database = database;
    this.#extent = extent;
    this.#clocks = clocks;
    this.#index = new SearchIndex(database);
    this.#events = new EventSearch(database, this.#index, clocks.limits);
  }

  /** The id up to which events are in the search index. A search finds newer ones too, only slower. */
  get indexed(): number {
    return this.#index.through;
  }

  /** Call it when events were added or removed. It costs very little. */
  changed(): void {
    if (!this.#isUsed || this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#index.step(this.#extent())) this.changed();
    }, PAUSE_MS);
    this.#timer.unref();
  }

  /** The matching events, as rows of a list. */
  rows(filter: SearchFilter, query: PageQuery): Promise<Page<TrackerRow>> {
    return this.#inTurns(this.#events.rows(filter, query, this.#extent()));
  }

  /** The matching events, complete. */
  whole(filter: SearchFilter, query: PageQuery): Promise<Page<WholeEvent>> {
    return this.#inTurns(this.#events.whole(filter, query, this.#extent()));
  }

  /** How many match. */
  count(filter: SearchFilter): Promise<TrackerCount> {
    return this.#inTurns(this.#events.count(filter, this.#extent()));
  }

  /** The values of a field that begin with a text. */
  values(field: ValueField, start: string): Promise<TrackerValues['values']> {
    return this.#inTurns(listValues(this.#database, this.#events, field, start, this.#extent()));
  }

  /** The names of events, with the keys of their payloads. */
  catalogue(): Promise<Catalogue> {
    return this.#inTurns(listCatalogue(this.#database, this.#extent(), this.#clocks.limits));
  }

  /** Ends the search. Pending searches are rejected. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #inTurns<T>(work: Work<T>): Promise<T> {
    this.#isUsed = true;
    this.changed();
    for (;;) {
      const ends = this.#clocks.turns() + TURN_MS;
      let piece = work.next();
      while (!piece.done && this.#clocks.turns() < ends) piece = work.next();
      if (piece.done) return piece.value;
      await setImmediate();
      if (this.#isClosed)
        throw new SluiceError('SLUICE_CLOSED', 'The emulator was closed before the search ended.');
    }
  }
}
