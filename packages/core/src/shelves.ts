import type { Clock } from '@sluice/protocol/toolbox';
import { createJournal, createNote, mayHold } from './journal-choice.ts';
import type { Settings } from './options/settings.ts';
import type { DeadLetters, DeadLettersTools } from './parts/dead-letters/dead-letters.ts';
import { LetterKeeper } from './parts/dead-letters/letter-keeper.ts';
import { type Admission, createAdmission } from './parts/hold/admission.ts';
import type { AdmissionOptions } from './parts/hold/admission-options.ts';
import { Sessions } from './parts/hold/sessions.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

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

/** What the tracker passes to its admission. */
interface AdmissionParts extends Pick<AdmissionOptions, 'enter' | 'texts' | 'wake'> {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly waiting: Waiting;
  readonly letters: LetterKeeper;
  readonly reporter: Reporter;
}

/** Creates the stage between `track()` and the ring buffer. */
export function prepareAdmission(parts: AdmissionParts): Admission {
  const { settings, clock, waiting, letters, reporter, ...rest } = parts;
  const { buffer, consent, unidentified } = settings;
  return createAdmission({
    journal: createJournal(settings, clock, 'unidentified'),
    sessions: new Sessions(createNote(settings, clock)),
    clock,
    reporter,
    ...unidentified,
    commitIntervalMs: settings.commitIntervalMs,
    buffer,
    consent,
    waiting,
    ...rest,
    async purge() {
      await waiting.purge();
      // An append in progress cannot be cancelled: let it finish, then purge again.
      await waiting.commitAll();
      await waiting.purge();
      await letters.clear('denied');
    },
  });
}
