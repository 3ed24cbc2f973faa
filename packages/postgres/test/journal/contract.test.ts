import { journalContract } from '@sluice/core/journal-contract';
import { beforeAll, it } from 'vitest';
import { makeJournal, makeSchema } from '../bench/journals.ts';
import { describeOnPostgres } from '../bench/server.ts';

/** More than there are cases, each of which uses one place. */
const PLACES = 30;

describeOnPostgres('PostgresJournal, as a journal', (database) => {
  const free: string[] = [];
  const schemas = new Map<string, string>();

  beforeAll(async () => {
    for (let count = 0; count < PLACES; count += 1) free.push(await makeSchema(database.pool));
  });

  function create(place: string) {
    const schema = schemas.get(place) ?? free.pop() ?? '';
    schemas.set(place, schema);
    return makeJournal(database, schema);
  }

  for (const { name, run } of journalContract({ create })) it(name, run);
});
