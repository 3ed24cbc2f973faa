import type { TrackerCount, TrackerRow } from '../admin/contract.ts';
import type { Database } from '../storage/database.ts';
import { firstReceived } from '../storage/events/event-times.ts';
import { type Plan, planOf, type SearchFilter } from './event-filter.ts';
import { readRows, readWhole, type WholeEvent } from './found-events.ts';
import type { Extent } from './indexer.ts';
import { type SearchIndex, textOf } from './search-index.ts';
import { type Candidate, TextMatcher } from './text/text-matcher.ts';
import type { Work } from './work.ts';

/** Which of the matching events to return: the newest with an id below `before`, at most `limit`. */
export interface PageQuery {
  readonly before?: number | undefined;
  readonly limit: number;
  /** Keys of payloads whose values the rows have, as paths of SQLite. */
  readonly paths?: readonly string[];
}

/** Some of the matching events, newest first. */
export interface Page<T> {
  readonly rows: readonly T[];
  /**
   * Pass it as `before` to get the next page; null if no older event matches. A page can be short or empty although older events
   * match: if the search took too long, or if the events were too large.
   */
  readonly next: number | null;
}

/** Matching ids, newest first. All events from id `down` up have been checked. */
interface Found {
  readonly ids: readonly number[];
  readonly down: number;
}

const SEARCH_MS = 500;
const COUNT_MS = 200;
const MOST_COUNTED = 100_000;
// Events that one statement checks: few enough to keep the time limits. Fewer where it reads their bodies.
const WINDOW = 8_192;
const BODY_WINDOW = 1_024;
// Texts that are searched in one piece of work.
const TEXTS = 128;
const TEXT_CHARACTERS = 64 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Searches events, newest first: as far as the index goes with the index, and newer events row by row. A search ends after a
 * limited time, with what it has found by then. It works in pieces. Between them, events and partitions of the index may come and
 * go.
 */
export class EventSearch {
  readonly #database: Database;
  readonly #index: SearchIndex;
  readonly #now: () => number;
  #matcher: TextMatcher | undefined;

  /** `now`: a clock in milliseconds, for the time limits. */
  constructor(database: Database, index: SearchIndex, now: () => number = () => performance.now()) {
    this.#database = database;
    this.#index = index;
    this.#now = now;
  }

  /** The matching events, as rows of a list. */
  *rows(filter: SearchFilter, query: PageQuery, extent: Extent): Work<Page<TrackerRow>> {
    const { rows, next } = yield* this.#page(filter, query, extent);
    return { rows: readRows(this.#database, rows, query.paths), next };
  }

  /** The matching events, complete. */
  *whole(filter: SearchFilter, query: PageQuery, extent: Extent): Work<Page<WholeEvent>> {
    const { rows: ids, next } = yield* this.#page(filter, query, extent);
    const rows = readWhole(this.#database, ids, MOST_BYTES);
    return { rows, next: rows.length < ids.length ? (rows.at(-1)?.id ?? next) : next };
  }

  /** Counts the matching events, up to 100,000 or for 200 ms. */
  *count(filter: SearchFilter, extent: Extent): Work<TrackerCount> {
    const [first, last] = this.#range(filter, extent);
    const plan = this.#plan(filter);
    if (plan === undefined) return { count: 0, isExact: true };
    if (plan.match === undefined && plan.isExact)
      return { count: Math.max(0, last - first + 1), isExact: true };
    const ends = this.#now() + COUNT_MS;
    let count = 0;
    for (const found of this.#count(plan, first, last)) {
      count += found;
      if (count >= MOST_COUNTED) return { count: MOST_COUNTED, isExact: false };
      if (this.#now() >= ends) return { count, isExact: false };
      yield;
    }
    return { count, isExact: true };
  }

  *#page(filter: SearchFilter, { before, limit }: PageQuery, extent: Extent): Work<Page<number>> {
    const [first, end] = this.#range(filter, extent);
    const last = Math.min(end, (before ?? Number.POSITIVE_INFINITY) - 1);
    const plan = this.#plan(filter);
    const ids: number[] = [];
    if (plan === undefined) return { rows: ids, next: null };
    const ends = this.#now() + SEARCH_MS;
    for (const found of this.#find(plan, first, last, limit + 1)) {
      ids.push(...found.ids);
      if (ids.length > limit) return { rows: ids.slice(0, limit), next: ids[limit - 1] ?? null };
      if (this.#now() >= ends) return { rows: ids, next: found.down > first ? found.down : null };
      yield;
    }
    return { rows: ids, next: null };
  }

  /** Returns undefined if nothing can match. */
  #plan(filter: SearchFilter): Plan | undefined {
    const { attributed, ...others } = filter;
    const any = 'SELECT 1 FROM customers WHERE primary_value IS NOT NULL LIMIT 1';
    if (attributed === undefined || this.#database.prepare(any).get() !== undefined) return planOf(filter);
    return attributed ? undefined : planOf(others);
  }

  #range({ from, to }: SearchFilter, { oldest, newest }: Extent): [first: number, last: number] {
    const first = from === undefined ? oldest : firstReceived(this.#database, from, oldest, newest);
    const last = to === undefined ? newest : firstReceived(this.#database, to, oldest, newest) - 1;
    return [first, last];
  }

  *#find(plan: Plan, first: number, last: number, limit: number): Generator<Found> {
    if (plan.match === undefined) {
      yield* this.#scan(plan, first, last, limit);
      return;
    }
    const indexed = Math.min(last, this.#index.through);
    yield* this.#scan(plan, Math.max(first, indexed + 1), last, limit);
    for (const partition of this.#index.partitions(first, indexed)) {
      const bottom = Math.max(first, partition.first);
      const atOnce = plan.isExact ? limit : windowOf(plan);
      for (let top = Math.min(indexed, partition.last); top >= bottom; ) {
        const found = this.#index.find(partition, plan.match, bottom, top, atOnce);
        const down = found.length < atOnce ? bottom : (found.at(-1) ?? bottom);
        const matching = this.#matching(plan, found);
        if (plan.isTextExact) yield { ids: matching, down };
        else yield* this.#withPhrases(plan, matching, down);
        top = down - 1;
      }
    }
  }

  *#count(plan: Plan, first: number, last: number): Generator<number> {
    if (plan.match === undefined || !plan.isExact) {
      for (const { ids } of this.#find(plan, first, last, WINDOW)) yield ids.length;
      return;
    }
    const indexed = Math.min(last, this.#index.through);
    for (const { ids } of this.#scan(plan, Math.max(first, indexed + 1), last, WINDOW)) yield ids.length;
    for (const partition of this.#index.partitions(first, indexed)) {
      yield this.#index.count(partition, plan.match, first, indexed, MOST_COUNTED);
    }
  }

  /** Checks every event, one window after the other. The first window is small if there is no text: most often it is enough. */
  *#scan(plan: Plan, first: number, last: number, limit: number): Generator<Found> {
    const statement = this.#database.prepare(
      `SELECT id FROM events WHERE id BETWEEN ? AND ? ${plan.conditions} ORDER BY id DESC LIMIT CAST(? AS INTEGER)`,
    );
    const rows = statement.raw(true);
    const hasText = plan.phrases.length > 0;
    const most = windowOf(plan);
    let window = Math.min(most, hasText ? most : limit);
    for (let top = last; top >= first; ) {
      const bottom = Math.max(first, top - window + 1);
      const ids = (rows.all(bottom, top, ...plan.values, window) as [id: number][]).map(([id]) => id);
      if (hasText) yield* this.#withPhrases(plan, ids, bottom);
      else yield { ids, down: bottom };
      top = bottom - 1;
      window = most;
    }
  }

  /**
   * Returns the events that meet the conditions on rows. This is needed because the index may name events that are gone, and
   * knows only hashes of values.
   */
  #matching({ conditions, values }: Plan, ids: readonly number[]): number[] {
    if (ids.length === 0) return [];
    const rows = this.#database
      .prepare(
        `SELECT id FROM events WHERE id IN (SELECT value FROM json_each(?)) ${conditions} ORDER BY id DESC`,
      )
      .raw(true)
      .all(JSON.stringify(ids), ...values) as [id: number][];
    return rows.map(([id]) => id);
  }

  /** Yields the events whose text has the phrases, in several groups. `down`: the id down to which `ids` are complete. */
  *#withPhrases(plan: Plan, ids: readonly number[], down: number): Generator<Found> {
    const read = this.#database.prepare('SELECT name, correlation_value, body FROM events WHERE id = ?');
    let candidates: Candidate[] = [];
    let characters = 0;
    for (const id of ids) {
      const row = read.get(id) as Searched | undefined;
      if (row === undefined) continue;
      const text = textOf(row.name, row.correlation_value, row.body);
      candidates.push({ id, text });
      characters += text.length;
      if (candidates.length < TEXTS && characters < TEXT_CHARACTERS) continue;
      yield { ids: this.#match(candidates, plan), down: id };
      candidates = [];
      characters = 0;
    }
    yield { ids: this.#match(candidates, plan), down };
  }

  #match(candidates: readonly Candidate[], { phrases, textMatch }: Plan): number[] {
    this.#matcher ??= new TextMatcher();
    const found = this.#matcher.find(candidates, phrases, textMatch);
    return candidates.map(({ id }) => id).filter((id) => found.has(id));
  }
}

function windowOf({ phrases, readsBodies }: Plan): number {
  return phrases.length > 0 || readsBodies ? BODY_WINDOW : WINDOW;
}

interface Searched {
  readonly name: string;
  readonly correlation_value: string;
  readonly body: string;
}
