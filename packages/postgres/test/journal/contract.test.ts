import { journalContract } from '@sluice/core/journal-contract';
import { it } from 'vitest';
import { makeJournal, usePlaces } from '../bench/journals.ts';
import { describeOnPostgres } from '../bench/server.ts';

/** More than there are cases, each of which uses one place. */
const PLACES = 30;

describeOnPostgres('PostgresJournal, as a journal', (database) => {
  const schemaOf = usePlaces(database, PLACES);
  const create = (place: string) => makeJournal(database, schemaOf(place));

  for (const { name, run } of journalContract({ create })) it(name, run);
});
