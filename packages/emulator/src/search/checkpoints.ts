import type { Database, Statement } from '../storage/database.ts';

// Events between checkpoints: some ten megabytes of log.
const EVENTS_BETWEEN = 20_000;

/**
 * Brings what was committed from the write-ahead log into the database, from a connection of its own, so that the one that
 * writes need not: it would stop for up to a second. What is left after the first go is little, so that the second one,
 * which lets the log begin anew and for which writers wait, is short.
 */
export class Checkpoints {
  readonly #passive: Statement;
  readonly #restart: Statement;
  #through = 0;

  constructor(database: Database) {
    this.#passive = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#restart = database.prepare('PRAGMA wal_checkpoint(RESTART)');
  }

  /** To be called often; makes a checkpoint where enough events came, or where it is quiet and any came. */
  step(newest: number, isIdle: boolean): void {
    const added = newest - this.#through;
    if (added < EVENTS_BETWEEN && !(isIdle && added > 0)) return;
    this.#through = newest;
    this.#passive.get();
    this.#restart.get();
  }
}
