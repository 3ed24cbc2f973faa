import type { Clock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { Journal } from './keep/journal.ts';
import { MemoryJournal } from './keep/memory-journal.ts';
import { MemoryNote, type Note } from './keep/note.ts';
import type { Settings } from './options/settings.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { deadLettersIn, LetterArchive } from './parts/dead-letters/letter-archive.ts';
import { Admission, type AdmissionOptions } from './parts/hold/admission.ts';
import { Sessions } from './parts/hold/sessions.ts';
import type { ShelfOptions } from './parts/shelf.ts';
import type { JournalPlace } from './platform/platform.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

/** A second journal, stored beside the events. */
type Part = 'dead-letters' | 'unidentified';

/** Creates the journal that the settings ask for. */
export function createJournal(settings: Settings, clock: Clock, part?: Part): Journal {
  const { journal, buffer } = settings;
  const place = placeOf(settings, clock, part);
  const { maxBytes = Number.POSITIVE_INFINITY } = place;
  const stored =
    journal !== 'memory' &&
    (part && journal ? journal.part?.(part) : (journal ?? platform.createJournal(place)));
  return stored || new MemoryJournal(part ? maxBytes : buffer.maxBytes, maxBytes);
}

/** What each part has for its events. */
function shelf(
  settings: Settings,
  clock: Clock,
  part: Part,
): Pick<ShelfOptions, 'clock' | 'journal' | 'mayHold'> {
  return {
    clock,
    journal: createJournal(settings, clock, part),
    mayHold: async () => settings.journal !== undefined || platform.exists(placeOf(settings, clock, part)),
  };
}

/** Creates the note that is kept with the held events. */
function createNote(settings: Settings, clock: Clock): Note {
  const isStored = settings.journal === undefined;
  return (isStored && platform.createNote(placeOf(settings, clock, 'unidentified'))) || new MemoryNote();
}

function placeOf(settings: Settings, clock: Clock, part?: Part): JournalPlace {
  const { maxBytes } = settings[part === 'dead-letters' ? 'deadLetters' : (part ?? 'storage')];
  return { settings, clock, maxBytes, part };
}

/** What the tracker passes to its dead letters. */
interface LettersParts extends Omit<Parameters<typeof deadLettersIn>[0], 'archive'> {
  readonly settings: Settings;
}

/** Creates what keeps dead letters, and the methods to read them. */
export function createLetters({ settings, ...main }: LettersParts): {
  readonly archive: LetterArchive;
  readonly deadLetters: DeadLetters;
} {
  const { clock, reporter } = main;
  const archive = new LetterArchive({
    ...settings.deadLetters,
    ...shelf(settings, clock, 'dead-letters'),
    reporter,
  });
  return { archive, deadLetters: deadLettersIn({ ...main, archive }) };
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
  return new Admission({
    ...shelf(settings, clock, 'unidentified'),
    sessions: new Sessions(createNote(settings, clock)),
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
