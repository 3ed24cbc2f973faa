import { journalContract } from '@sluice/core/journal-contract';
import { whyNoPostgres } from '@sluice/test-servers';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { PostgresJournal } from '../../src/journal/postgres-journal.ts';
import { TestServer } from '../bench/test-server.ts';

/** More than any case needs. */
const PLACES = 30;

describe.skipIf(whyNoPostgres() !== undefined)('PostgresJournal', () => {
  let server: TestServer;
  const free: string[] = [];
  const schemas = new Map<string, string>();

  beforeAll(async () => {
    server = await TestServer.start();
    for (let count = 0; count < PLACES; count += 1) free.push(await server.schema());
  });
  afterAll(() => server?.close());

  function create(place: string): PostgresJournal {
    const schema = schemas.get(place) ?? free.pop() ?? '';
    schemas.set(place, schema);
    return server.journal(schema);
  }

  for (const { name, run } of journalContract({ create })) it(name, run);
});
