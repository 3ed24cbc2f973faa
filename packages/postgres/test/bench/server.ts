import { type Postgres, startPostgres, whyNoPostgres } from '@sluice/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';

const missing = whyNoPostgres();

/** As `describe`. Its tests are skipped, and their title says why, where there is no PostgreSQL. */
export function describeOnPostgres(title: string, tests: (database: Database) => void): void {
  describe.skipIf(missing !== undefined)(missing ? `${title} (${missing})` : title, () =>
    tests(useDatabase()),
  );
}

/** A server for the tests of one file. */
interface Database {
  readonly server: Postgres;
  /** Of the superuser. */
  readonly pool: pg.Pool;
}

function useDatabase(): Database {
  const database: { server?: Postgres; pool?: pg.Pool } = {};
  beforeAll(async () => {
    database.server = await startPostgres();
    database.pool = new pg.Pool({ connectionString: database.server.connectionString });
  });
  afterAll(async () => {
    await database.pool?.end();
    await database.server?.close();
  });
  // The cast is safe: tests run after `beforeAll`.
  return database as Database;
}
