import { isDamage } from './damage.ts';
import type { Database, Statement } from './database.ts';
import { hash53 } from './hash.ts';

const GENERATION_SIZE = 65_536;

interface Generation {
  readonly ids: Map<string, number>;
  /** The newest id in it. */
  through: number;
}

/**
 * Finds the event that has a uuid. The newest uuids are in memory. The others were merged, sorted and many at a time, into a
 * table of the search index. To write each uuid when it arrives, in random order, would halve the ingest rate.
 */
export class UuidIndex {
  readonly #database: Database;
  readonly #has: Statement;
  #merged: Statement | undefined;
  #mend: (reason: unknown) => boolean = () => false;
  #generations: Generation[] = [];

  /** All uuids stay in memory until {@link open} is called. */
  constructor(database: Database) {
    this.#database = database;
    this.#has = database.prepare('SELECT 1 FROM events WHERE id = ? AND uuid = ?');
  }

  /**
   * From now on also searches `index`, which has the uuids of events up to `merged`. If `index` is damaged, `mend` is called: it
   * opens another one and returns true, or it returns false.
   */
  open(index: Database, merged: number, mend: (reason: unknown) => boolean): void {
    this.#mend = mend;
    this.#merged = index.prepare(
      `SELECT wanted.key AS at, uuids.id AS id FROM json_each(?) AS wanted
       CROSS JOIN uuids ON uuids.hash = wanted.value`,
    );
    this.#generations = [];
    const rows = this.#database
      .prepare('SELECT id, uuid FROM events WHERE id > ? AND uuid IS NOT NULL ORDER BY id')
      .raw(true)
      .all(merged) as [id: number, uuid: string][];
    for (const [id, uuid] of rows) this.add(uuid, id);
  }

  /** Returns the ids of those uuids that are stored. Uuids must be in lower case. */
  find(uuids: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    const others: string[] = [];
    for (const uuid of uuids) {
      const id = this.#recent(uuid);
      if (id === undefined) others.push(uuid);
      else found.set(uuid, id);
    }
    if (others.length === 0) return found;
    for (const { at, id } of this.#lookUp(others)) {
      // Two uuids may have the same hash, and the event may be gone. So the event itself is checked.
      const uuid = others[at];
      if (uuid !== undefined && this.#has.get(id, uuid) !== undefined) found.set(uuid, id);
    }
    return found;
  }

  /** Adds a new event. Ids must increase. */
  add(uuid: string, id: number): void {
    let latest = this.#generations.at(-1);
    if (latest === undefined || latest.ids.size >= GENERATION_SIZE) {
      latest = { ids: new Map(), through: id };
      this.#generations.push(latest);
    }
    latest.ids.set(uuid, id);
    latest.through = id;
  }

  /** Frees memory: drops each generation whose ids all end at `id` or before. Its events were merged, or are gone. */
  release(id: number): void {
    this.#generations = this.#generations.filter(({ through }) => through > id);
  }

  /** Removes the uuids of events after `id` from memory, because these events were not stored after all. */
  takeBack(id: number): void {
    for (const { ids } of this.#generations) for (const [uuid, at] of ids) if (at > id) ids.delete(uuid);
  }

  #lookUp(uuids: readonly string[]): { at: number; id: number }[] {
    if (this.#merged === undefined) return [];
    try {
      return this.#merged.all(JSON.stringify(uuids.map(hash53))) as { at: number; id: number }[];
    } catch (error) {
      if (isDamage(error) && this.#mend(error)) return this.#lookUp(uuids);
      throw error;
    }
  }

  #recent(uuid: string): number | undefined {
    for (let at = this.#generations.length - 1; at >= 0; at -= 1) {
      const id = this.#generations[at]?.ids.get(uuid);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}
