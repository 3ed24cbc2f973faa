import { journalContract } from '@sluice/core/journal-contract';
import { describe, it } from 'vitest';
import { describeDeadLetters } from '../../../core/test/contracts/dead-letters-contract.ts';
import { makeJournal, usePlaces } from '../bench/journals.ts';
import { describeOnPostgres } from '../bench/server.ts';

/** More than there are places in all cases. */
const PLACES = 100;

describeOnPostgres('The part of a PostgresJournal for dead letters', (database) => {
  const schemaOf = usePlaces(database, PLACES);

  /** The part outlives its journal: the last one that is closed ends the pool. */
  function create(place: string) {
    const journal = makeJournal(database, schemaOf(place));
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
