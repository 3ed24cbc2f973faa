import type { Clock } from '@sluice/protocol/toolbox';
import { createJournal, mayHold } from './journal-choice.ts';
import type { Settings } from './options/settings.ts';
import type { DeadLetters, DeadLettersTools } from './parts/dead-letters/dead-letters.ts';
import { LetterKeeper } from './parts/dead-letters/letter-keeper.ts';
import type { Reporter } from './tell/reporter.ts';

/** What the tracker passes to its dead letters. */
interface LettersParts extends Omit<DeadLettersTools, 'mayHold'> {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** Creates what keeps dead letters and, with the dead-letters part, the methods to read them. */
export function createLetters({ settings, clock, reporter, ...main }: LettersParts): {
  readonly keeper: LetterKeeper;
  readonly deadLetters?: DeadLetters;
} {
  const journal = createJournal(settings, clock, 'dead-letters');
  const options = { ...settings.deadLetters, journal, clock, reporter };
  const tools = { ...main, mayHold: () => mayHold(settings, clock, 'dead-letters') };
  return settings.parts.deadLetters?.(options, tools) ?? { keeper: new LetterKeeper(options) };
}
