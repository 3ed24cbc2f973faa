import type { Database } from '../database/database.ts';
import { type Moment, moment, msSince } from '../slots/moment.ts';

/** A vacuum is due after so many deleted parcels. With what comes by itself, tables are eight times as large. */
const PARCELS = 250;
/** So many events of the outbox count as much as a parcel. */
const EVENTS = 50;
const LEAST_MS = 1_000;
const TIMEOUT_MS = 600_000;

/** Gives PostgreSQL the space of deleted rows to use again. Needs the rights of the owner of the tables; without, it does nothing. */
export class Vacuum {
  readonly #database: Database;
  #deleted = 0;
  #last: Moment | undefined;
  #running: Promise<unknown> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** So many rows were deleted. */
  deleted(parcels: number, events: number): void {
    this.#deleted += parcels + events / EVENTS;
    if (this.#deleted < PARCELS || this.#running || (this.#last && msSince(this.#last) < LEAST_MS)) return;
    this.#deleted = 0;
    this.#last = moment();
    this.#running = this.#run()
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Another forwarder that is doing it has locked the table: then this one leaves it out. */
  async #run(): Promise<void> {
    const { schema } = this.#database;
    const tables = ['slot', 'parcel', 'outbox'].map((table) => `${schema}.${table}`);
    await this.#database.run({
      what: 'vacuum',
      text: `vacuum (skip_locked) ${tables}`,
      timeoutMs: TIMEOUT_MS,
    });
  }
}
