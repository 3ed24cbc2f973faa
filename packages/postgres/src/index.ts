export type { PostgresJournalOptions } from './journal/options.ts';
export { type PostgresJournal, postgresJournal } from './journal/postgres-journal.ts';
export {
  createOutbox,
  type Outbox,
  type OutboxEvent,
  type OutboxOptions,
  type OutboxTrackOptions,
} from './outbox/outbox.ts';
export type { OutboxClient, RunQuery } from './outbox/run-query.ts';
export { type MigrateOptions, migrate } from './schema/migrate.ts';
export type { PostgresStatus, TableStatus, VacuumHolder } from './upkeep/status.ts';
