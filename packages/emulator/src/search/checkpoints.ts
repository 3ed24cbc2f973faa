import type { Database, Statement } from '../storage/database.ts';

// Events between two checkpoints: about ten megabytes of log.
const EVENTS_BETWEEN = 20_000;

/**
 * Copies committed data from the write-ahead log into the database, on its own connection. Otherwise the connection that writes
 * would do it, and would stop for up to a second. The first checkpoint leaves little. So the second one, which lets the log begin
 * anew and makes writers wait, is short.
 */
export class Checkpoints {
  readonly #passive: Statement;
  readonly #restart: Statement;
  #through = 0;

  constructor(database: Database) {
    this.#passive = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#restart = database.prepare('PRAGMA wal_checkpoint(RESTART)');
  }

  /** Call it often. It makes a checkpoint after enough new events, or after any new event if the emulator is idle. */
  step(newest: number, isIdle: boolean): void {
    const added = newest - this.#through;
    if (added < EVENTS_BETWEEN && !(isIdle && added > 0)) return;
    this.#through = newest;
    this.#passive.get();
    this.#restart.get();
  }
}
