import type { Journal } from '@sluice/core';
import { systemClock } from '@sluice/protocol/toolbox';
import { Database } from '../database/database.ts';
import { type PostgresStatus, readStatus } from '../upkeep/status.ts';
import { LetterJournal } from './letter-journal.ts';
import {
  type JournalSettings,
  type PostgresJournalOptions,
  readOptions,
  TIMING,
  type Timing,
} from './options.ts';
import { TableJournal } from './table-journal.ts';

/** Most parcels of others that a forwarder knows at a time. */
const MOST_PARCELS = 256;

/**
 * Makes a journal on PostgreSQL, for `createTracker`. Call `migrate()` before, once.
 *
 * @throws A ConfigError if an option is wrong.
 * @example createTracker({ ...options, journal: postgresJournal({ pool: { connectionString } }) });
 */
export function postgresJournal(options: PostgresJournalOptions): PostgresJournal {
  return new PostgresJournal(readOptions(options), TIMING);
}

/** Keeps events in tables of PostgreSQL, which several processes and machines share. */
export class PostgresJournal extends TableJournal {
  readonly #settings: JournalSettings;
  readonly #timing: Timing;

  constructor(settings: JournalSettings, timing: Timing) {
    const { pool, schema, timeoutMs } = settings;
    const database = new Database(pool, schema, systemClock, timeoutMs);
    super({ ...settings, ...timing, database, mostParcels: MOST_PARCELS });
    this.#settings = settings;
    this.#timing = timing;
  }

  /** The dead letters are in the same tables. A tracker that does not send has none. */
  part(name: 'dead-letters' | 'unidentified'): Journal | undefined {
    const { compress, send } = this.#settings;
    if (name !== 'dead-letters' || !send) return undefined;
    return new LetterJournal(this.database.share(), compress, this.#timing);
  }

  /**
   * The sizes of the tables, what keeps vacuum from them, and how safe a commit is.
   *
   * @throws Rejects with a StorageError if PostgreSQL does not answer.
   * @example const { vacuumHolder } = await journal.status();
   */
  status(): Promise<PostgresStatus> {
    return readStatus(this.database);
  }
}
