import type { GroupCommit } from '../../keep/group-commit.ts';
import { checked } from '../../keep/journal-writer.ts';

/** Writes all events before it returns, if the journal can. For the last moment of a process. Throws if the journal fails. */
export function writeSync(commit: GroupCommit): void {
  const { journal } = commit.options;
  if (journal.appendSync === undefined) return;
  for (const entry of commit.takeAll()) {
    try {
      const [range, error] = checked(journal.appendSync(entry.events), entry.events);
      if (range === undefined) throw error;
      entry.placed(range);
    } catch (error) {
      entry.handBack();
      throw error;
    }
  }
}
