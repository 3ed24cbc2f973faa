import { platform } from '#platform';
import type { Journal } from './keep/journal.ts';
import { MemoryJournal } from './keep/memory-journal.ts';
import { MemoryNote } from './keep/note.ts';
import type { Settings } from './options/settings.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { LetterArchive } from './parts/dead-letters/letter-archive.ts';
import { Admission } from './parts/hold/admission.ts';
import { Sessions } from './parts/hold/sessions.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

/** A second journal, stored beside the events. */
type Part = 'dead-letters' | 'unidentified';

/** In Node, both count against `storage.maxBytes`: at most this share of it for each, or they would keep all new events out. */
const MOST_OF_STORAGE: Readonly<Record<Part, number>> = { 'dead-letters': 1 / 2, unidentified: 1 / 4 };

/** The stages of a tracker that a second journal needs. */
interface Stages {
  readonly settings: Settings;
  readonly reporter: Reporter;
  /** The main journal, and what waits in it. */
  readonly journal: Journal;
  readonly waiting: Waiting;
  readonly wake: () => void;
  readonly isDenied: () => boolean;
}

export function createJournal(settings: Settings, part?: Part): Journal {
  const { journal, buffer } = settings;
  const place = placeOf(settings, part);
  const { maxBytes = Number.POSITIVE_INFINITY } = place;
  const stored =
    journal !== 'memory' &&
    (part && journal ? journal.part?.(part) : (journal ?? platform.createJournal(place)));
  return stored || new MemoryJournal(part ? maxBytes : buffer.maxBytes, maxBytes);
}

/** A journal in memory has the room of the buffer: what is oldest goes before it is full. */
export function storageOf({ buffer, storage }: Settings, journal: Journal): Settings['storage'] {
  if (!(journal instanceof MemoryJournal)) return storage;
  return { ...storage, maxBytes: Math.min(storage.maxBytes ?? buffer.maxBytes, buffer.maxBytes) };
}

function placeOf(settings: Settings, part?: Part) {
  const maxBytes = part ? mostBytes(settings, part) : settings.storage.maxBytes;
  return { settings, maxBytes, part };
}

function mostBytes({ deadLetters, journal, storage, unidentified }: Settings, part: Part): number {
  const { maxBytes } = part === 'dead-letters' ? deadLetters : unidentified;
  if (journal !== undefined || storage.maxBytes === undefined) return maxBytes;
  return Math.min(maxBytes, Math.floor(storage.maxBytes * MOST_OF_STORAGE[part]));
}

function shelf(settings: Settings, part: Part) {
  const { clock } = settings;
  return { clock, maxBytes: mostBytes(settings, part), journal: createJournal(settings, part) };
}

export function createLetters({ settings, reporter, journal, waiting, wake, isDenied }: Stages): {
  readonly archive: LetterArchive;
  readonly deadLetters: DeadLetters;
} {
  const options = { ...settings.deadLetters, ...shelf(settings, 'dead-letters'), reporter };
  const archive = new LetterArchive(options, isDenied);
  return { archive, deadLetters: archive.deadLetters(journal, waiting, wake) };
}

export function createAdmission(
  { settings, reporter, waiting, wake }: Stages,
  letters: LetterArchive,
  { enter, texts }: Pick<ConstructorParameters<typeof Admission>[0], 'enter' | 'texts'>,
): Admission {
  const { buffer, commitIntervalMs, consent, unidentified } = settings;
  const isOurs = settings.journal === undefined;
  const note = isOurs ? platform.createNote(placeOf(settings, 'unidentified')) : undefined;
  const admission: Admission = new Admission({
    ...{ ...unidentified, buffer, commitIntervalMs, consent, enter, reporter, texts, waiting, wake },
    ...shelf(settings, 'unidentified'),
    sessions: new Sessions(note ?? new MemoryNote()),
    async purge() {
      // What waits for its next try ends once the sender looks: with a pause, that may be in a quarter of an hour.
      wake();
      await waiting.purge();
      // An append in progress cannot be cancelled: let it finish, then purge again.
      await waiting.commitAll();
      if (admission.isDenied) await waiting.purge();
      await letters.clear('denied');
    },
  });
  return admission;
}
