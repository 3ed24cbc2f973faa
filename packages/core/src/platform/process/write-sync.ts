import type { GroupCommit } from '../../keep/group-commit.ts';
import { checked, type Entry } from '../../keep/journal-writer.ts';

/** Writes all events before it returns, if the journal can. For the last moment of a process. Throws if the journal fails. */
export function writeSync({ entries, options }: GroupCommit): void {
  const { journal, unwritten } = options;
  if (journal.appendSync === undefined) return;
  // What is being appended comes first: it may not be written.
  const taken = [...entries];
  entries.clear();
  const next = () => taken.shift() ?? unwritten.next(journal.groupLimit, false);
  let entry: Entry | undefined;
  try {
    for (entry = next(); entry; entry = next()) {
      const [range, error] = checked(journal.appendSync(entry.events), entry.events);
      if (range === undefined) throw error;
      entry.placed(range);
    }
  } finally {
    // What was not written waits again.
    for (const left of [entry, ...taken]) left?.handBack();
  }
}
