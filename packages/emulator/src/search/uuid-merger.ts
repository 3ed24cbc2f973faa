import { type Database, inTransaction, type Statement } from '../storage/database.ts';
import { hash53 } from '../storage/hash.ts';
import { RowInsert } from '../storage/row-insert.ts';

// The more uuids are merged at a time, the less often each page of the table is written.
const MOST_AT_ONCE = 262_144;
const SLICE = 16_384;
const SWEEP_SLICES = 64;
const HASHES = 2 ** 53;

/** Moves uuids of events into the search index's table that finds them, and removes them from it. */
export class UuidMerger {
  readonly #index: Database;
  readonly #read: Statement;
  readonly #put: RowInsert;
  readonly #save: Statement;
  readonly #remove: Statement;
  #through: number;

  constructor(database: Database, index: Database) {
    this.#index = index;
    this.#read = database
      .prepare('SELECT id, uuid FROM events WHERE id > ? AND id <= ? AND uuid IS NOT NULL')
      .raw(true);
    this.#put = new RowInsert(index, 'uuids', ['hash', 'id'], 'INSERT OR IGNORE');
    this.#save = index.prepare('UPDATE progress SET merged = ?');
    this.#remove = index.prepare('DELETE FROM uuids WHERE hash >= ? AND hash < ? AND id < ?');
    const { merged } = index.prepare('SELECT merged FROM progress').get() as { merged: number };
    this.#through = merged;
  }

  /** The id up to which the uuids of all events are in the table. */
  get through(): number {
    return this.#through;
  }

  /** Merges the uuids of the events up to `newest`, but at most 262,144 events at once. Each step takes a few milliseconds. */
  *merge(newest: number): Generator<void> {
    const through = Math.min(newest, this.#through + MOST_AT_ONCE);
    const hashes = new Float64Array(MOST_AT_ONCE);
    const ids = new Float64Array(MOST_AT_ONCE);
    let count = 0;
    for (let from = this.#through; from < through; from += SLICE) {
      for (const [id, uuid] of this.#read.all(from, Math.min(through, from + SLICE)) as UuidRow[]) {
        hashes[count] = hash53(uuid);
        ids[count] = id;
        count += 1;
      }
      yield;
    }
    // The keys are sorted by the upper bits of the hash; the lower bits are the position. It is enough that neighbours share a
    // page.
    const order = hashes
      .subarray(0, count)
      .map((hash, at) => hash - (hash % MOST_AT_ONCE) + at)
      .sort();
    for (let from = 0; from < count; from += SLICE) {
      yield;
      inTransaction(this.#index, () => {
        const places = Array.from(order.subarray(from, from + SLICE), (key) => key % MOST_AT_ONCE);
        this.#put.run(places.flatMap((at) => [hashes[at], ids[at]]));
      });
    }
    this.#save.run(through);
    this.#through = through;
  }

  /** Removes the uuids of events older than `oldest`. Each step takes a few milliseconds. */
  *sweep(oldest: number): Generator<void> {
    for (let slice = 0; slice < SWEEP_SLICES; slice += 1) {
      const bound = (at: number) => (HASHES / SWEEP_SLICES) * at;
      this.#remove.run(bound(slice), bound(slice + 1), oldest);
      yield;
    }
  }
}

type UuidRow = [id: number, uuid: string];
