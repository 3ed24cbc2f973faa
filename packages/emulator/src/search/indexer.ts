import type { Database, Statement } from '../storage/database.ts';
import type { IndexedEvent, SearchIndex } from './search-index.ts';
import type { UuidMerger } from './uuid-merger.ts';

const MOST_EVENTS = 2_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MERGE_FROM = 131_072;

/** What events there are. */
export interface Extent {
  readonly oldest: number;
  readonly newest: number;
}

/** Keeps the search index up with the events, in pieces of some milliseconds, so that what is asked can go between. */
export class Indexer {
  readonly #index: SearchIndex;
  readonly #uuids: UuidMerger | undefined;
  readonly #sizes: Statement;
  readonly #read: Statement;
  #work: Generator<void> | undefined;

  /** `uuids`: undefined where they stay in memory. */
  constructor(database: Database, index: SearchIndex, uuids: UuidMerger | undefined) {
    this.#index = index;
    this.#uuids = uuids;
    this.#sizes = database
      .prepare(
        'SELECT id, octet_length(body) FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT CAST(? AS INTEGER)',
      )
      .raw(true);
    this.#read = database.prepare(
      'SELECT id, name, correlation_value, source, body FROM events WHERE id > ? AND id <= ? ORDER BY id',
    );
  }

  /** Does a piece of what there is to do, and says whether more is left. `isIdle`: also what can wait for a quiet moment. */
  step({ oldest, newest }: Extent, isIdle: boolean): boolean {
    if (this.#index.through < oldest - 1) this.#index.skip(oldest - 1);
    const isBehind = this.#index.through < newest && this.#addSome(newest);
    this.#work ??= this.#next({ oldest, newest }, isIdle && !isBehind);
    if (this.#work?.next().done) this.#work = undefined;
    return this.#work !== undefined || (isBehind && this.#index.through < newest);
  }

  #next({ oldest, newest }: Extent, isIdle: boolean): Generator<void> | undefined {
    const unmerged = newest - (this.#uuids?.through ?? newest);
    if (unmerged >= MERGE_FROM || (isIdle && unmerged > 0)) return this.#uuids?.merge(newest);
    if (this.#index.removeBefore(oldest)) return this.#uuids?.sweep(oldest);
    return undefined;
  }

  #addSome(newest: number): boolean {
    const through = this.#index.through;
    const sizes = this.#sizes.all(through, newest, MOST_EVENTS) as [id: number, bytes: number][];
    let bytes = 0;
    const end = sizes.findIndex(([, size]) => {
      bytes += size;
      return bytes > MOST_BYTES;
    });
    const [last = newest] = sizes[end === -1 ? sizes.length - 1 : end] ?? [];
    const events = this.#read.all(through, last) as IndexedEvent[];
    this.#index.add(events);
    return events.length > 0;
  }
}
