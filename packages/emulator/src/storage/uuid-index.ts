import type { Database, Statement } from './database.ts';
import { hash53 } from './hash.ts';

const GENERATION_SIZE = 65_536;

interface Generation {
  readonly ids: Map<string, number>;
  /** The newest id in it. */
  through: number;
}

/**
 * Finds the event that has a uuid. The newest are held in memory. The others were merged, many at a time and sorted, into
 * a table of the search index: written one by one as they come, in their random order, they would halve the rate of ingestion.
 */
export class UuidIndex {
  readonly #merged: Statement | undefined;
  readonly #has: Statement;
  #generations: Generation[] = [];

  /** `index`: where uuids are merged into; undefined where all of them stay in memory. */
  constructor(database: Database, index: Database | undefined) {
    this.#has = database.prepare('SELECT 1 FROM events WHERE id = ? AND uuid = ?');
    this.#merged = index?.prepare(
      `SELECT wanted.key AS at, uuids.id AS id FROM json_each(?) AS wanted
       CROSS JOIN uuids ON uuids.hash = wanted.value`,
    );
  }

  /** The ids of those uuids that are stored. Uuids are in lower case. */
  find(uuids: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    const others: string[] = [];
    for (const uuid of uuids) {
      const id = this.#recent(uuid);
      if (id === undefined) others.push(uuid);
      else found.set(uuid, id);
    }
    if (this.#merged === undefined || others.length === 0) return found;
    const rows = this.#merged.all(JSON.stringify(others.map(hash53))) as { at: number; id: number }[];
    for (const { at, id } of rows) {
      // Two uuids may have one hash, and the event may be gone: only the event itself can tell.
      const uuid = others[at];
      if (uuid !== undefined && this.#has.get(id, uuid) !== undefined) found.set(uuid, id);
    }
    return found;
  }

  /** Notes new events. Ids count up. */
  add(uuid: string, id: number): void {
    let latest = this.#generations.at(-1);
    if (latest === undefined || latest.ids.size >= GENERATION_SIZE) {
      latest = { ids: new Map(), through: id };
      this.#generations.push(latest);
    }
    latest.ids.set(uuid, id);
    latest.through = id;
  }

  /** Lets go of what memory holds of events up to `id`: they were merged, or are gone. */
  release(id: number): void {
    this.#generations = this.#generations.filter(({ through }) => through > id);
  }

  /** Lets go of what memory holds of events behind `id`: they were never stored after all. */
  takeBack(id: number): void {
    for (const { ids } of this.#generations) for (const [uuid, at] of ids) if (at > id) ids.delete(uuid);
  }

  #recent(uuid: string): number | undefined {
    for (let at = this.#generations.length - 1; at >= 0; at -= 1) {
      const id = this.#generations[at]?.ids.get(uuid);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}
