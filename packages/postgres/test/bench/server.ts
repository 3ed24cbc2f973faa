import { type Postgres, type PostgresOptions, startPostgres, whyNoPostgres } from '@sluice/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';

const missing = whyNoPostgres();

/** A server for the tests of one file. */
export interface Database {
  readonly server: Postgres;
  /** Of the superuser. */
  readonly pool: pg.Pool;
}

/** As `describe`. Its tests are skipped, and their title says why, where there is no PostgreSQL. */
export function describeOnPostgres(
  title: string,
  tests: (database: Database) => void,
  options?: PostgresOptions,
): void {
  const isMissing = missing !== undefined;
  describe.skipIf(isMissing)(isMissing ? `${title} (${missing})` : title, () => tests(useDatabase(options)));
}

function useDatabase(options?: PostgresOptions): Database {
  const database: { server?: Postgres; pool?: pg.Pool } = {};
  beforeAll(async () => {
    const server = await startPostgres(options);
    const { ca, connectionString } = server;
    database.server = server;
    database.pool = new pg.Pool({ connectionString, ssl: ca !== undefined && { ca } });
  });
  afterAll(async () => {
    await database.pool?.end();
    await database.server?.close();
  });
  // The cast is safe: tests run after `beforeAll`.
  return database as Database;
}
