import { describe, it } from 'vitest';
import { type JournalSubject, journalContract } from '../../src/entries/journal-contract/journal-contract.ts';

export { group, readAll, Witness } from '../../src/entries/journal-contract/stage.ts';

/** What every journal must do, wherever it keeps its events. */
export function describeJournal(name: string, subject: JournalSubject): void {
  describe(`${name}, as a journal`, () => {
    for (const { name, run } of journalContract(subject)) it(name, run);
  });
}
