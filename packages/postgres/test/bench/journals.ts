import type pg from 'pg';
import { beforeAll } from 'vitest';
import { type PostgresJournalOptions, readOptions, type Timing } from '../../src/journal/options.ts';
import { PostgresJournal } from '../../src/journal/postgres-journal.ts';
import { migrate } from '../../src/schema/migrate.ts';
import type { Database } from './server.ts';

/** Leases that a busy machine does not lose. They end while a test waits: PostgreSQL may be killed when it has just given a slot. */
const PATIENT = { leaseMs: 30_000, renewMs: 2_000, heldMs: 25_000 };
const OFTEN = { leastPollMs: 20, mostPollMs: 100, idleMs: 500 };
/** Leases for tests that wait for their end. A process or a server that stands still for some seconds does not lose them. */
export const SHORT: Timing = { leaseMs: 6_000, renewMs: 500, heldMs: 5_000, ...OFTEN };

let schemas = 0;

/** Makes empty tables, in a schema of their own. */
export async function makeSchema(pool: pg.Pool): Promise<string> {
  schemas += 1;
  const schema = `test_${schemas}`;
  await migrate(pool, { schema });
  return schema;
}

/** Makes empty tables before the tests, and gives each place the schema of its own, as the contracts ask for them. */
export function usePlaces(database: Database, most: number): (place: string) => string {
  const free: string[] = [];
  const schemas = new Map<string, string>();
  beforeAll(async () => {
    for (let count = 0; count < most; count += 1) free.push(await makeSchema(database.pool));
  });
  return (place) => {
    const schema = schemas.get(place) ?? free.pop() ?? '';
    schemas.set(place, schema);
    return schema;
  };
}

/** Makes a journal with a pool of its own, unless one is given. */
export function makeJournal(
  { server }: Database,
  schema: string,
  options: Partial<PostgresJournalOptions> = {},
  timing: Partial<Timing> = {},
): PostgresJournal {
  const { connectionString } = server;
  const settings = readOptions({ pool: { connectionString }, schema, ...options });
  return new PostgresJournal(settings, { ...PATIENT, ...OFTEN, ...timing });
}
