import { ConfigError } from '@sluice/protocol';
import { ANYTHING, flag, milliseconds, type Rules, readRules } from '@sluice/protocol/toolbox';
import type { Pool, PoolConfig } from 'pg';
import { quotedSchema } from '../schema/schema-name.ts';

/** Options of `postgresJournal()`. */
export interface PostgresJournalOptions {
  /** How to connect, for `pg`: then the journal has connections of its own, at most 4 unless `max` says otherwise. Or a pool. */
  readonly pool: Pool | PoolConfig;
  /** The schema of the tables. It holds the events of one account. Default: `sluice`. */
  readonly schema?: string | undefined;
  /**
   * Whether this tracker sends, also what others left. If not it only hands its events over: once they are in the table,
   * `stats()` counts them as delivered. Default: true.
   */
  readonly send?: boolean | undefined;
  /** Whether this tracker sends the events of the outbox. Default: false. */
  readonly outbox?: boolean | undefined;
  /**
   * Whether new events are told with NOTIFY: a tracker that sends listens on a connection of its own. Turn it off behind a PgBouncer
   * that pools by transaction; then it looks every 250 ms to 2 s. Default: true.
   */
  readonly notify?: boolean | undefined;
  /** Whether bodies are compressed before they are stored. Default: true. */
  readonly compress?: boolean | undefined;
  /** How long PostgreSQL may take for a statement, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** Options with their defaults. */
export type JournalSettings = {
  readonly [Name in keyof PostgresJournalOptions]-?: NonNullable<PostgresJournalOptions[Name]>;
};

/** Times that only tests change, in milliseconds. */
export interface Timing {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly heldMs: number;
  readonly leastPollMs: number;
  readonly mostPollMs: number;
  readonly idleMs: number;
}

export const TIMING: Timing = {
  leaseMs: 15_000,
  renewMs: 5_000,
  heldMs: 12_000,
  leastPollMs: 250,
  mostPollMs: 2_000,
  idleMs: 10_000,
};

const RULES: Rules = {
  pool: ANYTHING,
  schema: [(value) => quotedSchema(value) !== '', ''],
  send: flag(true),
  outbox: flag(false),
  notify: flag(true),
  compress: flag(true),
  timeoutMs: milliseconds(10_000),
};

/** Checks options. Throws a ConfigError. */
export function readOptions(options: PostgresJournalOptions): JournalSettings {
  const read = readRules(RULES, '', options);
  // Without the value: it may be an address with a password.
  if (typeof read.pool !== 'object' || read.pool === null)
    throw new ConfigError('pool', 'pool must be a Pool of pg, or its options, such as { connectionString }');
  if (read.outbox === true && read.send === false)
    throw new ConfigError('outbox', 'outbox must be false if send is false: this tracker sends nothing');
  // The cast is safe: the rules hold.
  return { ...(read as unknown as JournalSettings), schema: quotedSchema(options.schema) };
}
