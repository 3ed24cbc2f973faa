import type { Clock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { Journal } from './keep/journal.ts';
import { MemoryJournal } from './keep/memory-journal.ts';
import { MemoryNote, type Note } from './keep/note.ts';
import type { Settings } from './options/settings.ts';
import type { JournalPlace } from './platform/platform.ts';

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

/** Whether the journal of a part may hold something. If not, do not open it: opening it would create its place in storage. */
export async function mayHold(settings: Settings, clock: Clock, part: Part): Promise<boolean> {
  return settings.journal !== undefined || platform.exists(placeOf(settings, clock, part));
}

/** Creates the note that is kept with the held events. */
export function createNote(settings: Settings, clock: Clock): Note {
  const isStored = settings.journal === undefined;
  return (isStored && platform.createNote(placeOf(settings, clock, 'unidentified'))) || new MemoryNote();
}

function placeOf(settings: Settings, clock: Clock, part?: Part): JournalPlace {
  const { maxBytes } = settings[part === 'dead-letters' ? 'deadLetters' : (part ?? 'storage')];
  return { settings, clock, maxBytes, part };
}
