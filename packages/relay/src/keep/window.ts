import { IdTable, type Key } from './id-table.ts';

interface WindowOptions {
  /** How long an id is known at least, in milliseconds, unless the tables are full before. */
  readonly keepMs: number;
  /** Memory of both tables. */
  readonly bytes: number;
}

/**
 * Knows the ids of a time. New ones go to one table, the other has those before. When the first is full, or after twice
 * `keepMs`, they change places. The other table is emptied little by little in the second half of that time: all that it has is
 * older than `keepMs` then, or in the way.
 */
export class Window {
  readonly #keepMs: number;
  #current: IdTable;
  #previous: IdTable;
  /** When the tables were begun. */
  #since: number;
  #previousSince: number;
  /** How many slots of the previous table are empty again. */
  #cleared: number;
  /** How often the tables have changed places. */
  generation = 0;

  constructor({ keepMs, bytes }: WindowOptions, now: number) {
    this.#keepMs = keepMs;
    this.#current = new IdTable(bytes / 2);
    this.#previous = new IdTable(bytes / 2);
    this.#since = now;
    this.#previousSince = now;
    this.#cleared = this.#previous.slots;
  }

  get since(): number {
    return this.#since;
  }

  /** The time whose ids are all known, in milliseconds. */
  coversMs(now: number): number {
    return now - (this.#cleared > 0 ? this.#since : this.#previousSince);
  }

  has(key: Key): boolean {
    return this.#current.has(key) || (this.#cleared < this.#previous.slots && this.#previous.has(key));
  }

  add(key: Key, now: number): void {
    this.#clear(now);
    this.#current.add(key);
  }

  delete(key: Key): void {
    this.#current.delete(key);
    // Half of a chain of probes may be gone: no key moves there, because it ends at the first empty slot.
    if (this.#cleared < this.#previous.slots) this.#previous.delete(key);
  }

  /** What a file has: the older table first. */
  restore(keys: Uint32Array, since: number): void {
    this.#swap(since);
    this.#previousSince = Math.min(this.#previousSince, since);
    for (let at = 0; at < keys.length && this.#current.count < this.#current.most; at += 3) {
      this.#current.add({ words: keys, at });
    }
  }

  /** Empties as much of the previous table as the current one needs soon. Changes their places if it is time. */
  #clear(now: number): void {
    const { slots } = this.#previous;
    const part = Math.max((now - this.#since) / (2 * this.#keepMs), this.#current.count / this.#current.most);
    const due = Math.min(slots, Math.ceil((2 * part - 1) * slots));
    if (due > this.#cleared) {
      this.#previous.clear(this.#cleared, due);
      this.#cleared = due;
    }
    if (part >= 1) this.#swap(now);
  }

  #swap(now: number): void {
    [this.#current, this.#previous] = [this.#previous, this.#current];
    this.#previousSince = this.#since;
    this.#since = now;
    this.#cleared = 0;
    this.generation += 1;
  }
}
