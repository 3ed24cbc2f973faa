import type { Database, Statement } from '../storage/database.ts';
import type { IndexedEvent, SearchIndex } from './search-index.ts';

const MOST_BYTES = 8 * 1024 * 1024;

/** Ids of the oldest and the newest event. */
export interface Extent {
  readonly oldest: number;
  readonly newest: number;
}

/**
 * Keeps the search index up to date with the events. It works in pieces of a few milliseconds, so that searches can run in
 * between.
 */
export class Indexer {
  readonly #index: SearchIndex;
  readonly #atOnce: number;
  readonly #extent: Statement;
  readonly #sizes: Statement;
  readonly #read: Statement;

  /** `atOnce`: events to add in one piece of work. */
  constructor(database: Database, index: SearchIndex, atOnce: number) {
    this.#atOnce = atOnce;
    this.#index = index;
    const sizes = `SELECT id, octet_length(body) AS size FROM events
      WHERE id > ? AND id <= ? ORDER BY id LIMIT CAST(? AS INTEGER)`;
    this.#sizes = database.prepare(sizes).raw(true);
    this.#extent = database.prepare(`SELECT max(id) AS last, sum(size) AS bytes FROM (${sizes})`);
    // Rows as arrays: naming the values of each row would take half as long again.
    this.#read = database
      .prepare(
        'SELECT id, name, correlation_value, source, body FROM events WHERE id > ? AND id <= ? ORDER BY id',
      )
      .raw(true);
  }

  /** Does a piece of the work, and returns whether more is left. */
  step({ oldest, newest }: Extent): boolean {
    if (this.#index.through < oldest - 1) this.#index.skip(oldest - 1);
    this.#index.removeBefore(oldest);
    return this.#index.through < newest && this.#addSome(newest) && this.#index.through < newest;
  }

  #addSome(newest: number): boolean {
    const through = this.#index.through;
    const last = this.#lastAtOnce(through, newest);
    const rows = this.#read.all(through, last) as EventColumns[];
    this.#index.add(rows.map(toIndexedEvent));
    return rows.length > 0;
  }

  /** The id of the last event to add at once: after `atOnce` events, or earlier if they are large. */
  #lastAtOnce(through: number, newest: number): number {
    const all = this.#extent.get(through, newest, this.#atOnce) as { last: number | null; bytes: number };
    if (all.last === null || all.bytes <= MOST_BYTES) return all.last ?? newest;
    let bytes = 0;
    let last = through;
    for (const [id, size] of this.#sizes.all(through, newest, this.#atOnce) as [
      id: number,
      bytes: number,
    ][]) {
      bytes += size;
      if (bytes > MOST_BYTES && last > through) break;
      last = id;
    }
    return last;
  }
}

type EventColumns = [id: number, name: string, correlation_value: string, source: string, body: string];

function toIndexedEvent([id, name, correlation_value, source, body]: EventColumns): IndexedEvent {
  return { id, name, correlation_value, source, body };
}
