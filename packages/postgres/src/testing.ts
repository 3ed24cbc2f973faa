/** For tests of how a fleet fails. */
import type { Journal } from '@sluice/core';
import { type PostgresJournalOptions, readOptions, TIMING, type Timing } from './journal/options.ts';
import { PostgresJournal } from './journal/postgres-journal.ts';

export type { Timing } from './journal/options.ts';

/** As `postgresJournal()`, with other times. Trackers of one schema must have the same ones. */
export function timedJournal(options: PostgresJournalOptions, timing: Partial<Timing>): Journal {
  return new PostgresJournal(readOptions(options), { ...TIMING, ...timing });
}
