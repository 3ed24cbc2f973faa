import { setImmediate } from 'node:timers/promises';
import { SluiceError } from '@sluice/protocol';
import type { Catalogue, Page, TrackerCount, TrackerRows } from '../admin/contract.ts';
import { type Database, escapeText, unlessFailing } from '../storage/database.ts';
import { allOf, type Condition, conditionOf, type SearchFilter } from '../storage/event-filter.ts';
import { readRows } from '../storage/event-rows.ts';
import { type Extent, firstReceived } from '../storage/event-store.ts';
import { listCatalogue } from './catalogue.ts';
import { exactWord, lastOf, partOf, SearchIndex } from './search-index.ts';

/** Which of the matching events to return: the newest with an id below `before`, at most `limit`. */
export interface EventSearch extends SearchFilter {
  readonly before?: number | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
  /** Keys of payloads whose values the rows have, as paths of SQLite. */
  readonly keys?: readonly string[] | undefined;
}

/** A filter, prepared for the index and for the rows of events. */
interface Plan {
  /** The query for the full-text tables; undefined if they cannot narrow down the search. It may match too many events. */
  readonly match: string | undefined;
  /** Whether every event that `match` finds (without `match`: every event) matches the filter, apart from its times. */
  readonly isExact: boolean;
  /** Everything but the text, for rows of `events`. */
  readonly condition: Condition;
  /** Whether the filter has words. Only the index knows which events have these. */
  readonly hasText: boolean;
  /** Events that one statement checks: few enough to keep the time limits. */
  readonly window: number;
}

/** Matching ids, newest first. All events from id `down` up have been checked. */
interface Found {
  readonly ids: readonly number[];
  readonly down: number;
}

// Pause between two pieces of indexing, which take a few milliseconds each. In the pause, requests are served.
const PAUSE_MS = 10;
// While events arrive, it is so many times as long as the piece before it: requests go first.
const BUSY_PAUSES = 19;
// A search and a count end after so long.
const SEARCH_MS = 500;
const COUNT_MS = 200;
const MOST_COUNTED = 100_000;
// Events that one statement checks: fewer where it reads their bodies.
const WINDOW = 8_192;
const BODY_WINDOW = 1_024;

/**
 * Searches events, newest first, while new ones arrive. A search for words first adds to the index what that lacks, part by part;
 * other searches check row by row what the index lacks. A search ends after a limited time, with what it has found by then. It
 * works in turns. Between them, events and parts of the index may come and go. Indexing begins with the first search: without
 * searches, it costs nothing.
 */
export class Search {
  readonly #database: Database;
  readonly #extent: () => Extent;
  readonly #now: () => number;
  readonly #index: SearchIndex;
  #isUsed = false;
  /** Whether events were added or removed since the last piece of indexing. */
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `now` returns milliseconds. */
  constructor(database: Database, extent: () => Extent, now: () => number = () => performance.now()) {
    this.#database = database;
    this.#extent = extent;
    this.#now = now;
    this.#index = new SearchIndex(database);
  }

  /** How many events are not in the index. */
  get unindexed(): number {
    return this.#index.missing(this.#extent());
  }

  /** Call it when events were added or removed. It costs very little. */
  changed(): void {
    this.#isBusy = true;
    if (this.#isUsed) this.#stepIn(PAUSE_MS);
  }

  #stepIn(pauseMs: number): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const pauses = this.#isBusy ? BUSY_PAUSES : 0;
      this.#isBusy = false;
      const startedAt = this.#now();
      // If that fails, the next search does the same, and says why.
      const isMore = unlessFailing(() => this.#index.step(this.#extent()));
      const tookMs = this.#now() - startedAt;
      if (isMore) this.#stepIn(Math.max(PAUSE_MS, pauses * tookMs));
    }, pauseMs);
    this.#timer.unref();
  }

  /** The matching events, as rows of a list. */
  async rows(query: EventSearch): Promise<TrackerRows> {
    const { rows: ids, ...page } = await this.ids(query);
    return { rows: readRows(this.#database, ids, query.keys), ...page };
  }

  /** Counts the matching events, up to 100,000 or for 200 ms. */
  async count(filter: SearchFilter): Promise<TrackerCount> {
    const plan = this.#plan(filter);
    if (plan?.match === undefined && plan?.isExact !== false) {
      const { oldest, newest } = this.#range(filter);
      return { count: plan === undefined ? 0 : Math.max(0, newest - oldest + 1), isExact: true };
    }
    let count = 0;
    for await (const found of this.#pieces(filter, Number.POSITIVE_INFINITY, COUNT_MS)) {
      count += found.ids.length;
      if (count >= MOST_COUNTED) return { count: MOST_COUNTED, isExact: false };
      if (found.isOver) return { count, isExact: false };
    }
    return { count, isExact: true };
  }

  /** The names of events, with the keys of their payloads. */
  catalogue(): Promise<Catalogue> {
    return listCatalogue(this.#database, this.#extent(), this.#now, this.#begin());
  }

  /** Ends the search. Pending searches are rejected. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Begins a search. Returns what to call after each piece of work: then requests are served. */
  #begin(): () => Promise<void> {
    this.#isUsed = true;
    this.#stepIn(PAUSE_MS);
    return async () => {
      await setImmediate();
      if (!this.#isClosed) return;
      throw new SluiceError('SLUICE_CLOSED', 'The emulator was closed before the search ended.');
    };
  }

  /** The ids of the matching events. */
  async ids({ before, limit = 100, ...filter }: EventSearch): Promise<Page<number>> {
    const ids: number[] = [];
    const { newest } = this.#extent();
    for await (const { ids: found, down, isOver } of this.#pieces(filter, limit + 1, SEARCH_MS, before)) {
      ids.push(...found);
      if (ids.length > limit) return { rows: ids.slice(0, limit), next: ids[limit - 1] ?? null, newest };
      if (isOver) return { rows: ids, next: down, newest };
    }
    return { rows: ids, next: null, newest };
  }

  /**
   * Yields the matching ids below `before`, newest first. Between two pieces of work, requests may be served. `isOver`: the time is,
   * and events are left.
   */
  async *#pieces(
    filter: SearchFilter,
    atOnce: number,
    ms: number,
    before: number = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Found & { readonly isOver: boolean }> {
    const endTurn = this.#begin();
    const plan = this.#plan(filter);
    if (plan === undefined) return;
    const { oldest, newest } = this.#range(filter);
    const ends = this.#now() + ms;
    for (const found of this.#find(plan, oldest, Math.min(newest, before - 1), atOnce)) {
      const isOver = this.#now() >= ends && found.down > oldest;
      yield { ...found, isOver };
      if (isOver) return;
      await endTurn();
    }
  }

  /** Returns undefined if nothing can match. */
  #plan(filter: SearchFilter): Plan | undefined {
    const { attributed, ...others } = filter;
    const any = 'SELECT 1 FROM customers WHERE primary_value IS NOT NULL LIMIT 1';
    if (attributed === undefined || this.#database.get(any) !== undefined) return planOf(filter);
    return attributed ? undefined : planOf(others);
  }

  #range({ from, to }: SearchFilter): Extent {
    const extent = this.#extent();
    const first = (time: number) => firstReceived(this.#database, time, extent);
    return {
      oldest: from === undefined ? extent.oldest : first(from),
      newest: to === undefined ? extent.newest : first(to) - 1,
    };
  }

  *#find(plan: Plan, first: number, last: number, limit: number): Generator<Found> {
    const { match, hasText } = plan;
    const atOnce = plan.isExact ? limit : plan.window;
    for (let part = partOf(last); part >= partOf(first); part -= 1) {
      const bottom = Math.max(first, lastOf(part - 1) + 1);
      let top = Math.min(last, lastOf(part));
      while (hasText && this.#index.add(part, { ...this.#extent(), newest: top }))
        yield { ids: [], down: top + 1 };
      const indexed = match === undefined ? 0 : Math.min(top, this.#index.through(part));
      yield* this.#scan(plan, Math.max(bottom, indexed + 1), top, limit);
      for (top = indexed; match !== undefined && top >= bottom; ) {
        const found = this.#index.find(part, match, bottom, top, atOnce);
        const down = found.length < atOnce ? bottom : (found.at(-1) ?? bottom);
        const given = { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(found)] };
        yield { ids: plan.isExact ? found : this.#select(given, plan), down };
        top = down - 1;
      }
    }
  }

  /** Checks every event, one window after the other. The first window is small: most often it is enough. */
  *#scan(plan: Plan, first: number, last: number, limit: number): Generator<Found> {
    let window = Math.min(plan.window, limit);
    for (let top = last; top >= first; ) {
      const bottom = Math.max(first, top - window + 1);
      yield { ids: this.#select({ sql: 'id BETWEEN ? AND ?', values: [bottom, top] }, plan), down: bottom };
      top = bottom - 1;
      window = plan.window;
    }
  }

  #select(given: Condition, plan: Plan): number[] {
    const { sql, values } = allOf([given, plan.condition]);
    const ids = `SELECT id FROM events WHERE ${sql} ORDER BY id DESC`;
    return this.#database.arrays<[id: number]>(ids, ...values).map(([id]) => id);
  }
}

/** Prepares a filter. */
function planOf(filter: SearchFilter): Plan {
  const { name, correlationValue, source, uuid, attributed, payload = [], text = '' } = filter;
  const exact = Object.entries({ name, correlation_value: correlationValue, source });
  const terms = exact.flatMap(([field, value]) =>
    value === undefined ? [] : `"${exactWord(field, escapeText(value))}"`,
  );
  const textMatch = matchOf(text);
  if (textMatch !== '') terms.push(textMatch);
  return {
    match: terms.length === 0 ? undefined : terms.join(' '),
    isExact: uuid === undefined && attributed === undefined && payload.length === 0,
    condition: conditionOf(filter),
    hasText: textMatch !== '',
    window: payload.length > 0 ? BODY_WINDOW : WINDOW,
  };
}

/**
 * Typed text as a full-text query: phrases, the last of which may end with the beginning of a word. What has no word is left out.
 * (Nobody types U+E000: the index uses it.)
 */
function matchOf(typed: string): string {
  const phrases = typed.split(/[\s\0\uE000]+/u).filter((phrase) => /[\p{L}\p{N}\p{Co}]/u.test(phrase));
  // Inside quotes, only the quote itself has a special meaning.
  const quoted = phrases.map((phrase) => `"${phrase.replaceAll('"', '""')}"`);
  return quoted.length === 0 ? '' : `${quoted.join(' ')} *`;
}
