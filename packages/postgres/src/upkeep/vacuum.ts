import type { Database } from '../database/database.ts';
import { type Moment, moment, msSince } from '../slots/moment.ts';

/** A vacuum is due after so many deleted parcels. With what comes by itself, tables are eight times as large. */
const PARCELS = 250;
/** So many events of the outbox count as much as a parcel. */
const EVENTS = 50;
const TIMEOUT_MS = 600_000;
/** The shortest pause after a vacuum, and how many times as long as the vacuum it is. */
const LEAST_MS = 1_000;
const PAUSE = 4;

/** Gives PostgreSQL the space of deleted rows to use again. Needs the rights of the owner of the tables; without, it does nothing. */
export class Vacuum {
  readonly #database: Database;
  #deleted = 0;
  /** The pause after the last one. */
  #pause: { readonly since: Moment; readonly ms: number } | undefined;
  #running: AbortController | undefined;
  #isStopped: boolean;

  constructor(database: Database) {
    this.#database = database;
    // It would hold up all else.
    this.#isStopped = database.connection.max === 1;
  }

  /** So many rows were deleted. */
  deleted(parcels: number, events: number): void {
    this.#deleted += parcels + events / EVENTS;
    if (this.#deleted < PARCELS || this.#running || this.#isStopped) return;
    if (this.#pause && msSince(this.#pause.since) < this.#pause.ms) return;
    this.#deleted = 0;
    void this.#run();
  }

  /** Cancels one that runs: its connection is not free before, and keeps the process alive. */
  stop(): void {
    this.#isStopped = true;
    this.#running?.abort();
  }

  /** Another forwarder that is doing it has locked the table: then this one leaves it out. */
  async #run(): Promise<void> {
    const { schema } = this.#database;
    const tables = ['slot', 'parcel', 'outbox'].map((table) => `${schema}.${table}`);
    const text = `vacuum (skip_locked) ${tables}`;
    const begun = moment();
    this.#running = new AbortController();
    const { signal } = this.#running;
    await this.#database.run({ what: 'vacuum', text, timeoutMs: TIMEOUT_MS, signal }).catch(() => undefined);
    this.#running = undefined;
    this.#pause = { since: moment(), ms: Math.max(LEAST_MS, PAUSE * msSince(begun)) };
  }
}
