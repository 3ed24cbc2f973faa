import { type Postgres, startPostgres } from '@sluice/test-servers';
import pg from 'pg';
import { type PostgresJournalOptions, readOptions, type Timing } from '../../src/journal/options.ts';
import { PostgresJournal } from '../../src/journal/postgres-journal.ts';
import { migrate } from '../../src/schema/migrate.ts';

/** Leases that a busy machine does not lose. */
const PATIENT = { leaseMs: 120_000, renewMs: 5_000, heldMs: 100_000 };
const OFTEN = { leastPollMs: 20, mostPollMs: 100, idleMs: 500 };
/** Leases of a second, for tests that wait for their end. */
export const QUICK: Timing = { leaseMs: 1_000, renewMs: 250, heldMs: 700, ...OFTEN };

/** A real server with schemas of its own for each test. */
export class TestServer {
  readonly postgres: Postgres;
  readonly pool: pg.Pool;
  #schemas = 0;

  private constructor(postgres: Postgres) {
    this.postgres = postgres;
    this.pool = new pg.Pool({ connectionString: postgres.connectionString, max: 5 });
    this.pool.on('error', () => {});
  }

  static async start(...options: Parameters<typeof startPostgres>): Promise<TestServer> {
    return new TestServer(await startPostgres(...options));
  }

  /** A schema with empty tables. */
  async schema(): Promise<string> {
    this.#schemas += 1;
    const schema = `test_${this.#schemas}`;
    await migrate(this.pool, { schema });
    return schema;
  }

  /** A journal with a pool of its own. */
  journal(
    schema: string,
    options: Partial<PostgresJournalOptions> = {},
    timing: Partial<Timing> = {},
  ): PostgresJournal {
    const pool = { connectionString: this.postgres.connectionString };
    return new PostgresJournal(readOptions({ pool, schema, ...options }), {
      ...PATIENT,
      ...OFTEN,
      ...timing,
    });
  }

  /** The first column of the first row, as text. */
  async ask(sql: string): Promise<string> {
    const { rows } = await this.pool.query<unknown[]>({ text: sql, rowMode: 'array' });
    return String(rows[0]?.[0]);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.postgres.close();
  }
}
