/** Starts real PostgreSQL servers and PgBouncer for tests, benchmarks and examples. */
export { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
export { freePort } from './port.ts';
export { type Postgres, type PostgresOptions, type Standby, type Stop, startPostgres } from './postgres.ts';
export { findProgram, whyNoPgBouncer, whyNoPostgres } from './programs.ts';
