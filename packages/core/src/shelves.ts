import type { Clock } from '@sluice/protocol/toolbox';
import { createJournal, createNote, mayHold } from './journal-choice.ts';
import type { Settings } from './options/settings.ts';
import {
  type DeadLettersPart,
  type DeadLettersTools,
  deadLetters,
} from './parts/dead-letters/dead-letters.ts';
import type { LetterArchive } from './parts/dead-letters/letter-archive.ts';
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

/** Creates what keeps dead letters, and the methods to read them. */
export function createLetters({
  settings,
  clock,
  reporter,
  ...main
}: LettersParts): ReturnType<DeadLettersPart> {
  const journal = createJournal(settings, clock, 'dead-letters');
  const options = { ...settings.deadLetters, journal, clock, reporter };
  return deadLetters(options, { ...main, mayHold: () => mayHold(settings, clock, 'dead-letters') });
}

/** What the tracker passes to its admission. */
interface AdmissionParts extends Pick<AdmissionOptions, 'enter' | 'texts' | 'wake'> {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly waiting: Waiting;
  readonly letters: LetterArchive;
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
