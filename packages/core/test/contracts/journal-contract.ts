import { describe, it } from 'vitest';
import type { Fate } from '../../src/base/fate.ts';
import type { Range } from '../../src/base/range.ts';
import { type JournalSubject, journalContract } from '../../src/entries/journal-contract/journal-contract.ts';
import type { JournalObserver } from '../../src/keep/journal.ts';

export { group, readAll } from '../../src/entries/journal-contract/stage.ts';

/** An observer that records all calls. */
export class Witness implements JournalObserver {
  readonly ranges: Range[] = [];
  readonly settlements: { range: Range; fate: Fate }[] = [];
  readonly damages: { place: string; bytes: number }[] = [];
  readonly failures: Error[] = [];

  recovered(range: Range): void {
    this.ranges.push(range);
  }

  settled(range: Range, fate: Fate): void {
    this.settlements.push({ range, fate });
  }

  damaged(place: string, bytes: number): void {
    this.damages.push({ place, bytes });
  }

  failed(error: Error): void {
    this.failures.push(error);
  }
}

/** What every journal must do, wherever it keeps its events. */
export function describeJournal(name: string, subject: JournalSubject): void {
  describe(`${name}, as a journal`, () => {
    for (const { name, run } of journalContract(subject)) it(name, run);
  });
}
