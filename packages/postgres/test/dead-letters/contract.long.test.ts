import { journalContract } from '@sluice/core/journal-contract';
import { beforeAll, describe, it } from 'vitest';
import { describeDeadLetters } from '../../../core/test/contracts/dead-letters-contract.ts';
import { makeJournal, makeSchema } from '../bench/journals.ts';
import { describeOnPostgres } from '../bench/server.ts';

/** More than there are places in all cases. */
const PLACES = 100;

describeOnPostgres('The part of a PostgresJournal for dead letters', (database) => {
  const free: string[] = [];
  const schemas = new Map<string, string>();

  beforeAll(async () => {
    for (let count = 0; count < PLACES; count += 1) free.push(await makeSchema(database.pool));
  });

  /** The part outlives its journal: the last one that is closed ends the pool. */
  function create(place: string) {
    const schema = schemas.get(place) ?? free.pop() ?? '';
    schemas.set(place, schema);
    const journal = makeJournal(database, schema);
    const part = journal.part('dead-letters');
    if (!part) throw new Error('a journal that sends has this part');
    void journal.close();
    return part;
  }

  describe('as a journal', () => {
    for (const { name, run } of journalContract({ create })) it(name, run);
  });

  describeDeadLetters('PostgreSQL', { create, survives: true });
});
