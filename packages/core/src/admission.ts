import type { Clock } from '@sluice/protocol/toolbox';
import { createConsent, createJournal, createNote } from './journal-choice.ts';
import type { Journal } from './keep/journal.ts';
import type { Settings } from './options/settings.ts';
import type { LetterKeeper } from './parts/dead-letters/letter-keeper.ts';
import { Admission } from './parts/hold/admission.ts';
import type { AdmissionOptions } from './parts/hold/admission-options.ts';
import { Sessions } from './parts/hold/sessions.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

/** What the tracker passes to its admission. */
interface AdmissionParts extends Pick<AdmissionOptions, 'enter' | 'isWaiting' | 'texts' | 'wake'> {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly waiting: Waiting;
  readonly letters: LetterKeeper;
  readonly reporter: Reporter;
}

/** Creates the stage between `track()` and the ring buffer. */
export function createAdmission(parts: AdmissionParts): Admission {
  const { settings, clock, journal, waiting, letters, reporter, ...rest } = parts;
  const { buffer, consent, unidentified } = settings;
  const stored = createConsent(settings, clock, (consent) => admission.setConsent(consent, false));
  const admission: Admission = new Admission({
    journal: createJournal(settings, clock, 'unidentified'),
    sessions: new Sessions(createNote(settings, clock)),
    clock,
    reporter,
    hold: unidentified.hold,
    maxBytes: unidentified.maxBytes,
    maxAgeMs: unidentified.maxAgeMs,
    commitIntervalMs: settings.commitIntervalMs,
    buffer,
    consent: stored?.isDenied ? 'denied' : consent,
    stored,
    waiting,
    ...rest,
    async purge() {
      await waiting.purge();
      // An append in progress cannot be cancelled: let it finish, then purge again.
      await waiting.commitAll();
      await waiting.purge();
      await letters.clear('denied');
      // Events of closed tabs may not be found yet. The refresh finds them, and they are dropped then.
      await journal.sharing?.refresh();
    },
  });
  return admission;
}
